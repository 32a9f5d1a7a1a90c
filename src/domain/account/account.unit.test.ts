import { describe, expect, test } from 'vitest';
import {
  accountId,
  at,
  importedAccount,
  NOW,
  sealed,
  specification,
  tokens,
} from '../../../test/support/specification.ts';
import { type AccountCommand, account as rules } from './decide.ts';
import {
  AccountDeactivated,
  AccountDeleted,
  AccountImported,
  AccountPaused,
  AccountPlanChanged,
  AccountReactivated,
  AccountTokensReplaced,
} from './events.ts';

const account = specification(rules);
const id = accountId(1);
const known = AccountImported(importedAccount());
const again = importedAccount({ planType: 'pro', email: sealed('new email'), tokens: tokens('second') });
const paused = AccountPaused({ accountId: id, from: 'active' });
const deactivated = AccountDeactivated({
  accountId: id,
  from: 'active',
  reason: 'sign in again',
  code: 'token_revoked',
});
const deleted = AccountDeleted({ accountId: id });

describe('import', () => {
  test('a new account is active', () => {
    account.when({ type: 'ImportAccount', account: importedAccount(), onDuplicate: 'refuse' }).then(known);
    expect(account.given(at(NOW, known)).state()).toEqual({
      id,
      upstreamAccountId: 'upstream_1',
      email: sealed('email'),
      displayName: null,
      planType: 'plus',
      hasReadableIdToken: true,
      status: 'active',
      deactivationReason: null,
      proxy: null,
      importedAt: NOW,
    });
  });

  test('refuses a known identity', () =>
    account
      .given(known)
      .when({ type: 'ImportAccount', account: again, onDuplicate: 'refuse' })
      .refuses('duplicate_identity_conflict', { accountId: id }));

  test('skips a known identity without a change', () =>
    account.given(known).when({ type: 'ImportAccount', account: again, onDuplicate: 'skip' }).then());

  test('replaces the tokens of a known identity', () =>
    account
      .given(known)
      .when({ type: 'ImportAccount', account: again, onDuplicate: 'replace' })
      .then(AccountTokensReplaced(again)));

  test('replacing the tokens updates plan and identity and keeps the import time', () =>
    expect(account.given(at(NOW, known), AccountTokensReplaced(again)).state()).toMatchObject({
      planType: 'pro',
      email: sealed('new email'),
      importedAt: NOW,
    }));

  test('replacing the tokens reactivates a deactivated account', () =>
    expect(account.given(known, deactivated, AccountTokensReplaced(again)).state()).toMatchObject({
      status: 'active',
      deactivationReason: null,
    }));

  test('replacing the tokens of a paused account leaves it paused', () =>
    expect(account.given(known, paused, AccountTokensReplaced(again)).state()).toMatchObject({ status: 'paused' }));

  test('a new sign-in replaces tokens, but does not restore a deleted account', () => {
    account.given(known).when({ type: 'ReplaceTokens', account: again }).then(AccountTokensReplaced(again));
    account.given(known, deleted).when({ type: 'ReplaceTokens', account: again }).refuses('account_not_found');
  });

  test('imports a deleted account as new in every duplicate mode', () => {
    for (const onDuplicate of ['refuse', 'skip', 'replace'] as const) {
      account
        .given(known, deleted)
        .when({ type: 'ImportAccount', account: again, onDuplicate })
        .then(AccountImported(again));
    }
  });
});

describe('pause and reactivate', () => {
  test('pauses an active account', () =>
    account.given(known).when({ type: 'PauseAccount', accountId: id }).then(paused));

  test('pauses a deactivated account and clears its reason', () => {
    account
      .given(known, deactivated)
      .when({ type: 'PauseAccount', accountId: id })
      .then(AccountPaused({ accountId: id, from: 'deactivated' }));
    expect(account.given(known, deactivated, paused).state()).toMatchObject({
      status: 'paused',
      deactivationReason: null,
    });
  });

  test('pausing a paused account changes nothing', () =>
    account.given(known, paused).when({ type: 'PauseAccount', accountId: id }).then());

  test('reactivates a paused account', () =>
    account
      .given(known, paused)
      .when({ type: 'ReactivateAccount', accountId: id })
      .then(AccountReactivated({ accountId: id, from: 'paused' })));

  test('reactivates a deactivated account and clears its reason', () => {
    const reactivated = AccountReactivated({ accountId: id, from: 'deactivated' });
    account.given(known, deactivated).when({ type: 'ReactivateAccount', accountId: id }).then(reactivated);
    expect(account.given(known, deactivated, reactivated).state()).toMatchObject({
      status: 'active',
      deactivationReason: null,
    });
  });

  test('reactivating an active account changes nothing', () =>
    account.given(known).when({ type: 'ReactivateAccount', accountId: id }).then());
});

describe('deactivation by the provider', () => {
  const command = { type: 'DeactivateAccount', accountId: id, reason: 'sign in again', code: 'token_revoked' } as const;

  test('deactivates an active account with a reason', () => {
    account.given(known).when(command).then(deactivated);
    expect(account.given(known, deactivated).state()).toMatchObject({
      status: 'deactivated',
      deactivationReason: 'sign in again',
    });
  });

  test('leaves a paused account paused', () => account.given(known, paused).when(command).then());

  test('keeps the first reason', () =>
    account
      .given(known, deactivated)
      .when({ ...command, reason: 'another' })
      .then());
});

test('records a plan only when it differs', () => {
  const changed = AccountPlanChanged({ accountId: id, from: 'plus', to: 'pro' });
  account.given(known).when({ type: 'ObservePlan', accountId: id, planType: 'plus' }).then();
  account.given(known).when({ type: 'ObservePlan', accountId: id, planType: 'pro' }).then(changed);
  account.given(known, changed).when({ type: 'ObservePlan', accountId: id, planType: 'pro' }).then();
  expect(account.given(known, changed).state()).toMatchObject({ planType: 'pro', status: 'active' });
});

test('deletes an account in every status', () => {
  for (const before of [[], [paused], [deactivated]]) {
    account
      .given(known, ...before)
      .when({ type: 'DeleteAccount', accountId: id })
      .then(deleted);
  }
  expect(account.given(known, deleted).state()).toBeUndefined();
});

test('records the legal holds that keep the data key of a deleted account', () => {
  const command = { type: 'DeleteAccount', accountId: id } as const;
  account
    .given(known)
    .when({ ...command, heldBy: ['hold-1'] })
    .then(AccountDeleted({ accountId: id, heldBy: ['hold-1'] }));
  account
    .given(known)
    .when({ ...command, heldBy: [] })
    .then(deleted);
});

const commands: AccountCommand[] = [
  { type: 'PauseAccount', accountId: id },
  { type: 'ReactivateAccount', accountId: id },
  { type: 'DeactivateAccount', accountId: id, reason: 'r', code: 'c' },
  { type: 'ObservePlan', accountId: id, planType: 'pro' },
  { type: 'DeleteAccount', accountId: id },
];

test.each(commands)('$type is refused for an account that was never imported or is deleted', (command) => {
  account.when(command).refuses('account_not_found', { accountId: id });
  account.given(known, deleted).when(command).refuses('account_not_found', { accountId: id });
});

test('late events do not restore a deleted account', () =>
  expect(
    account
      .given(
        known,
        deleted,
        paused,
        AccountReactivated({ accountId: id, from: 'paused' }),
        AccountTokensReplaced(again),
      )
      .state(),
  ).toBeUndefined());
