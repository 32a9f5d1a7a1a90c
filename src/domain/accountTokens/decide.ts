import type { SealedCredentials } from '../account/events.ts';
import { type AccountId, instant } from '../core/brands.ts';
import type { Context, Decider } from '../core/decider.ts';
import { refuse } from '../core/refusal.ts';
import { type AccountTokensEvent, TokenRefreshClaimed, TokenRefreshFailed, TokensRefreshed } from './events.ts';
import { type AccountCredentials, evolve, initialState } from './state.ts';

/** After this time a claim counts as abandoned and can be replaced (docs/decisions/0030-token-refresh-claims.md). */
export const CLAIM_LIFETIME_MS = 60_000;

/** Record the result of a claimed refresh. */
export type RefreshResultCommand =
  | {
      type: 'RecordRefreshed';
      accountId: AccountId;
      claimId: string;
      tokens: SealedCredentials;
      region: string | null;
    }
  | { type: 'RecordRefreshFailed'; accountId: AccountId; claimId: string; code: string; isPermanent: boolean };

export type AccountTokensCommand =
  | { type: 'ClaimRefresh'; accountId: AccountId; claimId: string }
  | RefreshResultCommand;

/**
 * @throws Refusal `conflict` while another claim is valid, or when the command's claim was superseded;
 * `account_not_found` when there are no tokens to refresh
 */
export function decide(
  command: AccountTokensCommand,
  state: AccountCredentials,
  { now }: Context,
): AccountTokensEvent[] {
  const { accountId, claimId } = command;
  if (command.type === 'ClaimRefresh') {
    if (!state.tokens) refuse('account_not_found', { accountId });
    if (state.claim && state.claim.expiresAt > now) refuse('conflict', { claimedUntil: state.claim.expiresAt });
    return [TokenRefreshClaimed({ accountId, claimId, expiresAt: instant(now + CLAIM_LIFETIME_MS) })];
  }
  if (state.claim?.claimId !== claimId) refuse('conflict', { claimId });
  switch (command.type) {
    case 'RecordRefreshed':
      return [TokensRefreshed({ accountId, claimId, tokens: command.tokens, region: command.region })];
    case 'RecordRefreshFailed':
      return [TokenRefreshFailed({ accountId, claimId, code: command.code, isPermanent: command.isPermanent })];
  }
}

export const accountTokens: Decider<AccountCredentials, AccountTokensCommand, AccountTokensEvent> = {
  decide,
  evolve,
  initialState,
};
