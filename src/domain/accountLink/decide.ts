import type { AccountId } from '../core/brands.ts';
import type { Context, Decider } from '../core/decider.ts';
import { refuse } from '../core/refusal.ts';
import {
  AccountLinkBegun,
  AccountLinkCancelled,
  AccountLinkCodeReceived,
  type AccountLinkEvent,
  AccountLinkExpired,
  AccountLinkFailed,
  AccountLinkSkipped,
  type CodeSource,
  type LinkData,
} from './events.ts';
import { type AccountLinkState, evolve, initialState } from './state.ts';

export type AccountLinkCommand =
  | { type: 'BeginLink'; linkId: string; link: Omit<LinkData, 'linkId'> }
  | { type: 'ReceiveCode'; linkId: string; by: CodeSource }
  | { type: 'SkipLink'; linkId: string; accountId: AccountId }
  | { type: 'FailLink'; linkId: string; code: string; accountId?: AccountId }
  | { type: 'CancelLink'; linkId: string }
  | { type: 'ExpireLink'; linkId: string };

/**
 * Commands for a link that has ended change nothing.
 * @throws Refusal `oauth_flow_not_found`, or `conflict` for cancelling while a code is being exchanged
 */
export function decide(command: AccountLinkCommand, state: AccountLinkState, { now }: Context): AccountLinkEvent[] {
  const { linkId } = command;
  if (command.type === 'BeginLink') return state ? [] : [AccountLinkBegun({ linkId, ...command.link })];
  const { progress, expiresAt } = state ?? refuse('oauth_flow_not_found', { flowId: linkId });
  const isPending = progress.kind === 'pending';
  const isExchanging = progress.kind === 'exchanging';
  switch (command.type) {
    case 'ReceiveCode':
      if (!isPending) return [];
      return [now < expiresAt ? AccountLinkCodeReceived({ linkId, by: command.by }) : AccountLinkExpired({ linkId })];
    case 'SkipLink':
      return isExchanging ? [AccountLinkSkipped({ linkId, accountId: command.accountId })] : [];
    case 'FailLink': {
      const { code, accountId = null } = command;
      return isPending || isExchanging ? [AccountLinkFailed({ linkId, code, accountId })] : [];
    }
    case 'CancelLink':
      // The provider was called, and its response may be an account.
      if (isExchanging) return refuse('conflict', { flowId: linkId });
      return isPending ? [AccountLinkCancelled({ linkId })] : [];
    case 'ExpireLink':
      return isPending && now >= expiresAt ? [AccountLinkExpired({ linkId })] : [];
  }
}

export const accountLink: Decider<AccountLinkState, AccountLinkCommand, AccountLinkEvent> = {
  decide,
  evolve,
  initialState,
};
