import { describe, expect, test } from 'vitest';
import { emailIn, hasClaim, isEmailVerified, isSameAddress, nameIn, nameWithEmail, valuesIn } from './claims.ts';

describe('an address is verified', () => {
  test.each([
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    [1, false],
    [undefined, false],
    [null, false],
    [['true'], false],
  ])('with email_verified %j: %s', (verified, expected) =>
    expect(isEmailVerified({ email_verified: verified })).toBe(expected),
  );
});

test('takes only what looks like an address for one', () => {
  expect(emailIn({ email: ' ada@example.com ' })).toBe('ada@example.com');
  for (const email of [
    'ada',
    'ada@',
    '@example.com',
    'a b@example.com',
    'a@b@c',
    '',
    7,
    null,
    `${'a'.repeat(250)}@b.cd`,
  ])
    expect(emailIn({ email })).toBeUndefined();
});

test('compares addresses without ASCII case, and folds nothing else', () => {
  expect(isSameAddress('Ada@Example.com', 'ada@example.COM')).toBe(true);
  // A Kelvin sign, a full-width letter, another dash, a dotted I.
  for (const other of ['\u212aim@example.com', '\uff4bim@example.com', 'kim@exam\u2010ple.com', 'k\u0130m@example.com'])
    expect(isSameAddress('kim@example.com', other)).toBe(false);
});

test('names a person by the first claim that has a name', () => {
  const email = 'ada@example.com';
  expect(nameIn({ name: 'Ada Lovelace', preferred_username: 'ada', email })).toBe('Ada Lovelace');
  expect(nameIn({ given_name: 'Ada', family_name: 'Lovelace', email })).toBe('Ada Lovelace');
  expect(nameIn({ name: ' ', preferred_username: 'ada', email })).toBe('ada');
  expect(nameIn({ email })).toBe(email);
  expect(nameIn({})).toBeUndefined();
});

test('removes control characters from names and cuts long ones', () => {
  expect(nameIn({ name: 'A\u202ed\u0000a\n' })).toBe('Ada');
  expect(nameIn({ name: 'a'.repeat(1_000) })).toHaveLength(128);
  expect(nameWithEmail('a'.repeat(128), 'ada@example.com')).toMatch(/^a+ \(ada@example\.com\)$/);
  expect(nameWithEmail('a'.repeat(128), 'ada@example.com')).toHaveLength(128);
});

describe('the values of a claim', () => {
  const claims = {
    groups: ['staff', 7, null, ['nested'], 'admins'],
    hd: 'example.com',
    realm_access: { roles: ['operator'] },
    'https://example.com/roles': ['auditor'],
    'a.b': 'whole',
    a: { b: 'path' },
  };
  test.each([
    ['groups', ['staff', 'admins']],
    ['hd', ['example.com']],
    ['realm_access.roles', ['operator']],
    ['https://example.com/roles', ['auditor']],
    ['a.b', ['whole']],
    ['realm_access', []],
    ['groups.0', ['staff']],
    ['constructor', []],
    ['__proto__.constructor', []],
    ['missing', []],
  ])('%s', (claim, values) => expect([...valuesIn(claims, claim)]).toEqual(values));

  test('are there even when the list is empty', () => {
    expect(hasClaim({ groups: [] }, 'groups')).toBe(true);
    expect(hasClaim({}, 'groups')).toBe(false);
  });
});
