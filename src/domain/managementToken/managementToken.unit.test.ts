import { expect, test } from 'vitest';
import { hash, later, NOW, specification, uuid } from '../../../test/support/specification.ts';
import { MAX_TOKENS_PER_OWNER, managementToken } from './decide.ts';
import { ManagementTokenCreated, ManagementTokenRevoked, ManagementTokenUsed } from './events.ts';
import { evolve, initialState, isTokenValid } from './state.ts';

const tokens = specification(managementToken);
const data = {
  name: 'deploy',
  role: 'operator' as const,
  ownerId: 'op_1',
  scopes: [],
  hash: hash('a'),
  expiresAt: later(60_000),
};
const created = (n: number) => ManagementTokenCreated({ tokenId: uuid(n), ...data });
const create = { type: 'CreateToken', tokenId: uuid(1), ...data, by: ['operator'] } as const;
const revoked = ManagementTokenRevoked({ tokenId: uuid(1), name: 'deploy' });

test('creates a token', () => tokens.given().when(create).then(created(1)));

test.each([
  ['a role above that of its creator', { by: ['auditor'] }, 'insufficient_permissions'],
  ['an empty name', { name: '  ' }, 'invalid_token'],
  ['a name of 129 characters', { name: 'x'.repeat(129) }, 'invalid_token'],
  ['an expiry in the past', { expiresAt: NOW }, 'invalid_token'],
  ['a name with a line break', { name: 'a\nb' }, 'invalid_token'],
  ['a name with an unpaired surrogate', { name: 'a\ud800' }, 'invalid_token'],
] as const)('refuses %s', (_name, changes, code) =>
  tokens
    .given()
    .when({ ...create, ...changes })
    .refuses(code),
);

test.each([
  ['expires later', { expiresAt: later(60_001) }, 'invalid_token'],
  ['never expires', { expiresAt: null }, 'invalid_token'],
  ['has a scope that it lacks', { scopes: ['irreversible'] }, 'insufficient_permissions'],
] as const)('a token creates none that %s', (_name, changes, code) =>
  tokens
    .given(created(2))
    .when({ ...create, ...changes, byTokenId: uuid(2) })
    .refuses(code),
);

test('a token creates one that can do no more', () =>
  tokens
    .given(created(2))
    .when({ ...create, byTokenId: uuid(2) })
    .then(created(1)));

test('bounds the tokens of one owner', () => {
  const given = Array.from({ length: MAX_TOKENS_PER_OWNER }, (_, index) => created(index + 10));
  tokens
    .given(...given)
    .when(create)
    .refuses('invalid_token');
  tokens
    .given(...given)
    .when({ ...create, ownerId: 'op_2' })
    .then(ManagementTokenCreated({ ...created(1).data, ownerId: 'op_2' }));
});

test('revokes a token once', () => {
  const revoke = { type: 'RevokeToken', tokenId: uuid(1) } as const;
  tokens.given(created(1)).when(revoke).then(revoked);
  tokens.given(created(1), revoked).when(revoke).refuses('token_not_found');
  tokens.given().when(revoke).refuses('token_not_found');
});

test('a token ends by time or by being revoked, and shows its last use', () => {
  const fold = (...given: { type: string; data: unknown }[]) =>
    given.reduce((state, event) => evolve(state, { ...event, time: NOW } as never), initialState).get(uuid(1));
  const token = fold(created(1), ManagementTokenUsed({ tokenId: uuid(1) }));
  expect(token && [token.lastUsedAt, isTokenValid(token, NOW), isTokenValid(token, later(60_000))]).toEqual([
    NOW,
    true,
    false,
  ]);
  const ended = fold(created(1), revoked);
  expect(ended && isTokenValid(ended, NOW)).toBe(false);
});
