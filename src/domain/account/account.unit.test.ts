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
  test('a new account is active from the moment of its import', () => {
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
      importedAt: NOW,
    });
  });

  test('a known identity is a conflict', () =>
    account
      .given(known)
      .when({ type: 'ImportAccount', account: again, onDuplicate: 'refuse' })
      .refuses('duplicate_identity_conflict', { accountId: id }));

  test('a known identity can be skipped without a change', () =>
    account.given(known).when({ type: 'ImportAccount', account: again, onDuplicate: 'skip' }).then());

  test('a known identity can have its tokens replaced', () =>
    account
      .given(known)
      .when({ type: 'ImportAccount', account: again, onDuplicate: 'replace' })
      .then(AccountTokensReplaced(again)));

  test('replacing the tokens takes over plan and identity and keeps the time of the import', () =>
    expect(account.given(at(NOW, known), AccountTokensReplaced(again)).state()).toMatchObject({
      planType: 'pro',
      email: sealed('new email'),
      importedAt: NOW,
    }));

  test('replacing the tokens brings a deactivated account back', () =>
    expect(account.given(known, deactivated, AccountTokensReplaced(again)).state()).toMatchObject({
      status: 'active',
      deactivationReason: null,
    }));

  test('replacing the tokens of a paused account leaves it paused: only the operator ends a pause', () =>
    expect(account.given(known, paused, AccountTokensReplaced(again)).state()).toMatchObject({ status: 'paused' }));

  test('a new sign-in replaces the tokens of a known account, and brings back none that is deleted', () => {
    account.given(known).when({ type: 'ReplaceTokens', account: again }).then(AccountTokensReplaced(again));
    account.given(known, deleted).when({ type: 'ReplaceTokens', account: again }).refuses('account_not_found');
  });

  test('an account that was deleted is new, whatever is said about duplicates', () => {
    for (const onDuplicate of ['refuse', 'skip', 'replace'] as const) {
      account
        .given(known, deleted)
        .when({ type: 'ImportAccount', account: again, onDuplicate })
        .then(AccountImported(again));
    }
  });
});

describe('pause and reactivate', () => {
  test('an active account can be paused', () =>
    account.given(known).when({ type: 'PauseAccount', accountId: id }).then(paused));

  test('a deactivated account can be paused and loses its reason', () => {
    account
      .given(known, deactivated)
      .when({ type: 'PauseAccount', accountId: id })
      .then(AccountPaused({ accountId: id, from: 'deactivated' }));
    expect(account.given(known, deactivated, paused).state()).toMatchObject({
      status: 'paused',
      deactivationReason: null,
    });
  });

  test('pausing what is paused changes nothing', () =>
    account.given(known, paused).when({ type: 'PauseAccount', accountId: id }).then());

  test('a paused account can be reactivated', () =>
    account
      .given(known, paused)
      .when({ type: 'ReactivateAccount', accountId: id })
      .then(AccountReactivated({ accountId: id, from: 'paused' })));

  test('a deactivated account can be reactivated and loses its reason', () => {
    const reactivated = AccountReactivated({ accountId: id, from: 'deactivated' });
    account.given(known, deactivated).when({ type: 'ReactivateAccount', accountId: id }).then(reactivated);
    expect(account.given(known, deactivated, reactivated).state()).toMatchObject({
      status: 'active',
      deactivationReason: null,
    });
  });

  test('reactivating what is active changes nothing', () =>
    account.given(known).when({ type: 'ReactivateAccount', accountId: id }).then());
});

describe('deactivation by the provider', () => {
  const command = { type: 'DeactivateAccount', accountId: id, reason: 'sign in again', code: 'token_revoked' } as const;

  test('an active account is deactivated with its reason', () => {
    account.given(known).when(command).then(deactivated);
    expect(account.given(known, deactivated).state()).toMatchObject({
      status: 'deactivated',
      deactivationReason: 'sign in again',
    });
  });

  test('a paused account stays paused', () => account.given(known, paused).when(command).then());

  test('a second reason does not replace the first', () =>
    account
      .given(known, deactivated)
      .when({ ...command, reason: 'another' })
      .then());
});

test('a plan is recorded when it differs from the one that is known', () => {
  const changed = AccountPlanChanged({ accountId: id, from: 'plus', to: 'pro' });
  account.given(known).when({ type: 'ObservePlan', accountId: id, planType: 'plus' }).then();
  account.given(known).when({ type: 'ObservePlan', accountId: id, planType: 'pro' }).then(changed);
  account.given(known, changed).when({ type: 'ObservePlan', accountId: id, planType: 'pro' }).then();
  expect(account.given(known, changed).state()).toMatchObject({ planType: 'pro', status: 'active' });
});

test('an account can be deleted in every status', () => {
  for (const before of [[], [paused], [deactivated]]) {
    account
      .given(known, ...before)
      .when({ type: 'DeleteAccount', accountId: id })
      .then(deleted);
  }
  expect(account.given(known, deleted).state()).toBeUndefined();
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

test('what arrives late for a deleted account does not bring it back', () =>
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
