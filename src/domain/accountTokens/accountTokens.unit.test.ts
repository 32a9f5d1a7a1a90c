import { expect, test } from 'vitest';
import {
  accountId,
  importedAccount,
  later,
  NOW,
  specification,
  tokens,
  uuid,
} from '../../../test/support/specification.ts';
import { AccountImported, AccountTokensReplaced } from '../account/events.ts';
import { CLAIM_LIFETIME_MS, decide } from './decide.ts';
import { TokenRefreshClaimed, TokenRefreshFailed, TokensRefreshed } from './events.ts';
import { evolve, initialState } from './state.ts';

const accountTokens = specification({ decide, evolve, initialState });
const id = accountId(1);
const [mine, theirs] = [uuid(1), uuid(2)];
const imported = AccountImported(importedAccount());
const expiresAt = later(CLAIM_LIFETIME_MS);
const claimed = (claimId: string, until = expiresAt) =>
  TokenRefreshClaimed({ accountId: id, claimId, expiresAt: until });
const refreshed = (claimId: string) =>
  TokensRefreshed({ accountId: id, claimId, tokens: tokens('second'), region: 'eu' });
const failed = (claimId: string) =>
  TokenRefreshFailed({ accountId: id, claimId, code: 'server_error', isPermanent: false });
const claim = (claimId: string) => ({ type: 'ClaimRefresh', accountId: id, claimId }) as const;
const record = (claimId: string) =>
  ({ type: 'RecordRefreshed', accountId: id, claimId, tokens: tokens('second'), region: 'eu' }) as const;
const recordFailure = (claimId: string) =>
  ({ type: 'RecordRefreshFailed', accountId: id, claimId, code: 'server_error', isPermanent: false }) as const;

test('takes the first tokens from an import', () =>
  expect(accountTokens.given(imported).state()).toEqual({ tokens: tokens(), claim: undefined }));

test('claims a refresh for one minute before the provider is called', () =>
  accountTokens.given(imported).when(claim(mine)).then(claimed(mine)));

test('refuses a second claim with the end of the first one', () =>
  accountTokens.given(imported, claimed(mine)).when(claim(theirs)).refuses('conflict', { claimedUntil: expiresAt }));

test('cannot extend a claim by claiming again', () =>
  accountTokens
    .given(imported, claimed(mine))
    .when(claim(mine), { now: later(1) })
    .refuses('conflict'));

test('replaces a claim from the moment it expires, not before', () => {
  const given = accountTokens.given(imported, claimed(mine));
  given.when(claim(theirs), { now: later(CLAIM_LIFETIME_MS - 1) }).refuses('conflict');
  given.when(claim(theirs), { now: expiresAt }).then(claimed(theirs, later(CLAIM_LIFETIME_MS, expiresAt)));
});

test('refuses a claim for an account that was never imported or is deleted', () =>
  accountTokens.when(claim(mine)).refuses('account_not_found', { accountId: id }));

test('a refresh ends its claim and replaces the tokens', () => {
  accountTokens.given(imported, claimed(mine)).when(record(mine)).then(refreshed(mine));
  expect(accountTokens.given(imported, claimed(mine), refreshed(mine)).state()).toEqual({
    tokens: tokens('second'),
    claim: undefined,
  });
});

test('records a late result while no other claim was made', () =>
  accountTokens
    .given(imported, claimed(mine))
    .when(record(mine), { now: later(10 * CLAIM_LIFETIME_MS) })
    .then(refreshed(mine)));

test('refuses a late result after another claim', () => {
  const given = accountTokens.given(imported, claimed(mine), claimed(theirs, later(2 * CLAIM_LIFETIME_MS)));
  given.when(record(mine)).refuses('conflict', { claimId: mine });
  given.when(recordFailure(mine)).refuses('conflict', { claimId: mine });
  given.when(record(theirs)).then(refreshed(theirs));
});

test('records no result without a claim', () => {
  accountTokens.given(imported).when(record(mine)).refuses('conflict');
  accountTokens.given(imported, claimed(mine), refreshed(mine)).when(record(mine)).refuses('conflict');
});

test('a failed refresh ends its claim at once and keeps the tokens', () => {
  accountTokens.given(imported, claimed(mine)).when(recordFailure(mine)).then(failed(mine));
  const given = accountTokens.given(imported, claimed(mine), failed(mine));
  expect(given.state()).toEqual({ tokens: tokens(), claim: undefined });
  given.when(claim(theirs)).then(claimed(theirs));
});

test('an import during a refresh wins: the result is refused', () => {
  const replaced = AccountTokensReplaced(importedAccount({ tokens: tokens('imported') }));
  accountTokens.given(imported, claimed(mine), replaced).when(record(mine)).refuses('conflict', { claimId: mine });
});

test('a refresh recorded after an import does not restore older tokens', () => {
  const replaced = AccountTokensReplaced(importedAccount({ tokens: tokens('imported') }));
  const given = accountTokens.given(imported, claimed(mine), replaced, refreshed(mine));
  expect(given.state().tokens).toEqual(tokens('imported'));
});

test('a late result does not end another claim', () => {
  const state = accountTokens.given(imported, claimed(mine), claimed(theirs), failed(mine), refreshed(mine)).state();
  expect(state).toEqual({ tokens: tokens(), claim: { claimId: theirs, expiresAt } });
  expect(NOW).toBeLessThan(expiresAt);
});
