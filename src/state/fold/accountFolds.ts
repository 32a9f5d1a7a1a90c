import * as account from '../../domain/account/state.ts';
import * as accountHealth from '../../domain/accountHealth/state.ts';
import * as accountLink from '../../domain/accountLink/state.ts';
import type { AccountTokensEvent } from '../../domain/accountTokens/events.ts';
import * as accountTokens from '../../domain/accountTokens/state.ts';
import * as accountUsage from '../../domain/accountUsage/state.ts';
import type { CoolDownEvent } from '../../domain/coolDown/events.ts';
import { type CoolDown, changesIn } from '../../domain/coolDown/state.ts';
import type { AccountId, Instant } from '../../domain/core/brands.ts';

type TokensRefreshed = Extract<AccountTokensEvent, { type: 'TokensRefreshed' }>;

/** The parts of the hot state that are about accounts. */
export interface AccountFolds {
  readonly accounts: Map<AccountId, account.Account>;
  /** Sign-ins at the provider that are in progress, and the most recent ones that ended. */
  readonly links: Map<string, accountLink.AccountLink>;
  readonly tokens: Map<AccountId, accountTokens.AccountCredentials>;
  readonly usage: Map<AccountId, accountUsage.AccountUsage>;
  /** Of accounts that failed and have not succeeded since. */
  readonly coolDowns: Map<AccountId, CoolDown>;
  /** Of accounts that a request has tried. */
  readonly health: Map<AccountId, accountHealth.AccountHealth>;
}

/** Removes the account when its fold returns undefined. */
export function evolveAccount(folds: AccountFolds, event: Parameters<typeof account.evolve>[1]): void {
  const { accountId } = event.data;
  const next = account.evolve(folds.accounts.get(accountId), event);
  if (next) folds.accounts.set(accountId, next);
  else folds.accounts.delete(accountId);
}

/** Drops the oldest of the links that ended. */
export function evolveLink(folds: AccountFolds, linkId: string, event: Parameters<typeof accountLink.evolve>[1]): void {
  const next = accountLink.evolve(folds.links.get(linkId), event);
  if (!next) return;
  folds.links.set(linkId, next);
  accountLink.forgetOldLinks(folds.links);
}

export function evolveTokens(folds: AccountFolds, event: Parameters<typeof accountTokens.evolve>[1]): void {
  const { accountId } = event.data;
  const next = accountTokens.evolve(folds.tokens.get(accountId) ?? accountTokens.initialState, event);
  folds.tokens.set(accountId, next);
  if (event.type === 'TokensRefreshed' && next.tokens === event.data.tokens) followRegion(folds, event.data);
}

/** The region of an account is that of its tokens, at each position: a choice by region must not rely on tokens that are gone. */
function followRegion({ accounts }: AccountFolds, { accountId, region }: TokensRefreshed['data']): void {
  const account = accounts.get(accountId);
  if (account && region !== undefined && region !== (account.region ?? null))
    accounts.set(accountId, { ...account, region: region ?? undefined });
}

/** Ignores events that arrive after their account was deleted. */
export function evolveUsage(
  folds: AccountFolds,
  accountId: AccountId,
  event: Parameters<typeof accountUsage.evolve>[1],
): void {
  if (!folds.accounts.has(accountId)) return;
  folds.usage.set(accountId, accountUsage.evolve(folds.usage.get(accountId) ?? accountUsage.initialState, event));
}

/** Ignores accounts that were deleted meanwhile. */
export function evolveCoolDowns(folds: AccountFolds, event: CoolDownEvent): void {
  for (const { accountId, coolDown } of changesIn(event)) {
    if (coolDown && folds.accounts.has(accountId)) folds.coolDowns.set(accountId, coolDown);
    else folds.coolDowns.delete(accountId);
  }
}

/** Counts the attempts of a request in the health of their accounts. Ignores accounts that were deleted meanwhile. */
export function followAttempts(folds: AccountFolds, request: accountHealth.CountedRequest, time: Instant): void {
  const { accounts, health } = folds;
  accountHealth.countAttempts(
    request,
    time,
    (accountId) => (accounts.has(accountId) ? (health.get(accountId) ?? accountHealth.initialState) : undefined),
    (accountId, next) => health.set(accountId, next),
  );
}

/** An operator asks for another attempt: the cool-down ends, and the account's health starts over. */
export function forgetFailures({ coolDowns, health }: AccountFolds, accountId: AccountId): void {
  coolDowns.delete(accountId);
  const known = health.get(accountId);
  if (known) health.set(accountId, accountHealth.withoutRecent(known));
}

/** The provider's limit is known from here on: the cool-down that stood for it must not outlast an early reset. */
export function endLimitCoolDown(folds: AccountFolds, accountId: AccountId): void {
  if (folds.coolDowns.get(accountId)?.failures === 0) folds.coolDowns.delete(accountId);
}
