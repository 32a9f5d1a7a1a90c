import * as account from '../../domain/account/state.ts';
import * as accountLink from '../../domain/accountLink/state.ts';
import * as accountTokens from '../../domain/accountTokens/state.ts';
import * as accountUsage from '../../domain/accountUsage/state.ts';
import type { AccountId } from '../../domain/core/brands.ts';

/** What the hot state knows of accounts. */
export interface AccountFolds {
  readonly accounts: Map<AccountId, account.Account>;
  /** Sign-ins at the provider that are under way, and the last that have ended. */
  readonly links: Map<string, accountLink.AccountLink>;
  readonly tokens: Map<AccountId, accountTokens.AccountTokens>;
  readonly usage: Map<AccountId, accountUsage.AccountUsage>;
}

/** An account that its fold gives up is gone. */
export function evolveAccount(folds: AccountFolds, event: Parameters<typeof account.evolve>[1]): void {
  const { accountId } = event.data;
  const next = account.evolve(folds.accounts.get(accountId), event);
  if (next) folds.accounts.set(accountId, next);
  else folds.accounts.delete(accountId);
}

/** Of links that have ended the oldest are forgotten. */
export function evolveLink(folds: AccountFolds, linkId: string, event: Parameters<typeof accountLink.evolve>[1]): void {
  const next = accountLink.evolve(folds.links.get(linkId), event);
  if (!next) return;
  folds.links.set(linkId, next);
  accountLink.forgetOldLinks(folds.links);
}

export function evolveTokens(folds: AccountFolds, event: Parameters<typeof accountTokens.evolve>[1]): void {
  const { accountId } = event.data;
  folds.tokens.set(accountId, accountTokens.evolve(folds.tokens.get(accountId) ?? accountTokens.initialState, event));
}

/** What arrives late for a deleted account must not bring half of it back. */
export function evolveUsage(
  folds: AccountFolds,
  accountId: AccountId,
  event: Parameters<typeof accountUsage.evolve>[1],
): void {
  if (!folds.accounts.has(accountId)) return;
  folds.usage.set(accountId, accountUsage.evolve(folds.usage.get(accountId) ?? accountUsage.initialState, event));
}
