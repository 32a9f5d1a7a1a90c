import type { AccountId, Sealed } from '../core/brands.ts';
import type { Decider } from '../core/decider.ts';
import { refuse } from '../core/refusal.ts';
import {
  AccountDeactivated,
  AccountDeleted,
  type AccountEvent,
  AccountImported,
  AccountPaused,
  AccountPlanChanged,
  AccountProxyChanged,
  AccountReactivated,
  AccountTokensReplaced,
  type ImportedAccount,
} from './events.ts';
import { type Account, type AccountState, evolve, initialState } from './state.ts';

export type AccountCommand =
  | {
      type: 'ImportAccount';
      account: ImportedAccount;
      onDuplicate: 'refuse' | 'skip' | 'replace';
      /** How a new account begins, if not active. */
      begins?: 'paused' | { readonly reason: string; readonly code: string } | undefined;
    }
  /** Unlike an import, it does not restore an account that was deleted in the meantime. */
  | { type: 'ReplaceTokens'; account: ImportedAccount }
  | { type: 'PauseAccount'; accountId: AccountId }
  | { type: 'ReactivateAccount'; accountId: AccountId }
  | { type: 'DeactivateAccount'; accountId: AccountId; reason: string; code: string }
  | { type: 'ObservePlan'; accountId: AccountId; planType: string }
  /** `from` and `to`: host and port; `proxy`: the whole address. */
  | { type: 'ChangeProxy'; accountId: AccountId; from: string | null; to: string | null; proxy: Sealed | null }
  /** `heldBy`: ids of the legal holds that keep its data key. */
  | { type: 'DeleteAccount'; accountId: AccountId; heldBy?: readonly string[] };

/** @throws Refusal `duplicate_identity_conflict` | `account_not_found` */
export function decide(command: AccountCommand, state: AccountState): AccountEvent[] {
  if (command.type === 'ImportAccount') return decideImport(command, state);
  if (command.type === 'ReplaceTokens') {
    return state
      ? [AccountTokensReplaced(command.account)]
      : refuse('account_not_found', { accountId: command.account.accountId });
  }
  const account = state ?? refuse('account_not_found', { accountId: command.accountId });
  const { id: accountId, status: from } = account;
  switch (command.type) {
    case 'PauseAccount':
      return from === 'paused' ? [] : [AccountPaused({ accountId, from })];
    case 'ReactivateAccount':
      return from === 'active' ? [] : [AccountReactivated({ accountId, from })];
    case 'DeactivateAccount':
      return deactivate(account, command.reason, command.code);
    case 'ObservePlan':
      return command.planType === account.planType
        ? []
        : [AccountPlanChanged({ accountId, from: account.planType, to: command.planType })];
    case 'ChangeProxy': {
      const { from: before, to, proxy } = command;
      return proxy === account.proxy ? [] : [AccountProxyChanged({ accountId, from: before, to, proxy })];
    }
    case 'DeleteAccount':
      return [AccountDeleted({ accountId, ...(command.heldBy?.length && { heldBy: [...command.heldBy] }) })];
  }
}

function decideImport(
  { account, onDuplicate, begins }: Extract<AccountCommand, { type: 'ImportAccount' }>,
  state: AccountState,
): AccountEvent[] {
  if (!state) {
    const change = { accountId: account.accountId, from: 'active' as const };
    if (begins === undefined) return [AccountImported(account)];
    return [
      AccountImported(account),
      begins === 'paused' ? AccountPaused(change) : AccountDeactivated({ ...change, ...begins }),
    ];
  }
  switch (onDuplicate) {
    case 'skip':
      return [];
    case 'replace':
      return [AccountTokensReplaced(account)];
    case 'refuse':
      return refuse('duplicate_identity_conflict', { accountId: account.accountId });
  }
}

/** A paused account stays paused: the operator's decision outranks the provider's. */
function deactivate({ id: accountId, status: from }: Account, reason: string, code: string): AccountEvent[] {
  return from === 'active' ? [AccountDeactivated({ accountId, from, reason, code })] : [];
}

export const account: Decider<AccountState, AccountCommand, AccountEvent> = { decide, evolve, initialState };
