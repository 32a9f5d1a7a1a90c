import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unsignedJwt } from '../../../test/support/provider/jwt.ts';
import { expiryOf, identityOf, planOf, readClaims, residencyOf } from './jwt.ts';

const AUTH = 'https://api.openai.com/auth';
const PROFILE = 'https://api.openai.com/profile';

test('reads claims without checking the signature', () =>
  expect(readClaims(unsignedJwt({ sub: 'user', email: 'jörg@example.com' }))).toEqual({
    sub: 'user',
    email: 'jörg@example.com',
  }));

test.each(['', 'opaque', 'a.b.c', 'a.bnVsbA.c', 'a.WzFd.c', 'a.MQ.c', '..'])('reads no claims from %j', (token) => {
  expect(readClaims(token)).toBeUndefined();
  expect(expiryOf(token)).toBeNull();
  expect(identityOf(token)).toBeUndefined();
});

test('throws for no text and no claims', () =>
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.object().map(unsignedJwt)), (token) => {
      readClaims(token);
      expiryOf(token);
      identityOf(token);
    }),
  ));

test.each([
  [1_700_000_000, 1_700_000_000_000],
  ['1700000000', 1_700_000_000_000],
  [1_700_000_000.5, 1_700_000_000_500],
  ['', null],
  ['soon', null],
  [null, null],
  [true, null],
  [[1_700_000_000], null],
  [1e300, null],
  [undefined, null],
])('reads the expiry %j as %j', (exp, expected) => expect(expiryOf(unsignedJwt({ exp }))).toBe(expected));

describe('the identity in an id token', () => {
  test("is read from the provider's object", () =>
    expect(
      identityOf(
        unsignedJwt({
          email: ' a@example.com ',
          name: 'A',
          chatgpt_account_id: 'top',
          [AUTH]: { chatgpt_account_id: 'acc_1', chatgpt_plan_type: 'Plus' },
        }),
      ),
    ).toEqual({ upstreamAccountId: 'acc_1', email: 'a@example.com', displayName: 'A', planType: 'plus' }));

  test('is read from the top level and the profile otherwise', () =>
    expect(
      identityOf(
        unsignedJwt({
          chatgpt_account_id: 'top',
          chatgpt_plan_type: 'pro',
          [AUTH]: { chatgpt_account_id: ' ' },
          [PROFILE]: { email: 'a@example.com' },
        }),
      ),
    ).toEqual({ upstreamAccountId: 'top', email: 'a@example.com', displayName: null, planType: 'pro' }));

  test('is null where claims are missing', () =>
    expect(identityOf(unsignedJwt({ [AUTH]: 'odd', email: 7 }))).toEqual({
      upstreamAccountId: null,
      email: null,
      displayName: null,
      planType: null,
    }));
});

test('spells known plans in lower case and keeps others', () =>
  expect([' PLUS ', 'Team', 'Quorum'].map(planOf)).toEqual(['plus', 'team', 'Quorum']));

describe('the residency', () => {
  const [compute, data] = ['chatgpt_compute_residency', 'chatgpt_data_residency'];
  test.each([
    ['is that of computing', { [AUTH]: { [compute]: 'eu', [data]: 'us' } }, 'eu'],
    ['is that of storage where the token has no other', { [AUTH]: { [data]: 'us' } }, 'us'],
    [
      "is the provider's own claim before that at the top level",
      { [compute]: 'us', [AUTH]: { [compute]: 'eu' } },
      'eu',
    ],
    ['is read from the top level otherwise', { [compute]: 'jp' }, 'jp'],
    ['is absent where computing has no constraint', { [AUTH]: { [compute]: 'no_constraint', [data]: 'us' } }, null],
    ['is absent without a claim', { [AUTH]: {} }, null],
    ['is absent when it could start another header', { [AUTH]: { [compute]: 'eu\r\nx: y' } }, null],
    ['is absent when it is too long for a name', { [AUTH]: { [compute]: 'e'.repeat(65) } }, null],
    ['is absent when it is no text', { [AUTH]: { [compute]: 7 } }, null],
  ])('%s', (_title, claims, region) => expect(residencyOf(unsignedJwt(claims))).toBe(region));

  test('is absent in a text that is not a JWT', () => expect(residencyOf('sk-opaque')).toBeNull());
});
