import type { AccountId } from '../../domain/core/brands.ts';
import type { HeaderLookup } from '../../http/wire/headerLookup.ts';
import type { AccountHeaders, OutboundHeaders } from '../../provider/client/outboundHeaders.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { UpstreamPool } from '../upstream/upstreamPool.ts';
import type { Cooldowns } from './cooldowns.ts';

/** The accounts as this node knows them: what a choice is made from, and what a failure does to an account. */
export interface Accounts {
  readonly hot: HotState;
  readonly cooldowns: Cooldowns;
  /** The account of a conversation according to requests that are in the outbox and not yet in the log. */
  readonly pendingPin?: (digest: string) => AccountId | undefined;
  /** The next number of this node's round robin. */
  readonly nextTurn: () => number;
  readonly deactivate: (accountId: AccountId, code: string) => void;
}

export interface AccessTokenSource {
  /** Undefined when the account's access token has expired or expires within a minute. */
  headersFor(accountId: AccountId): AccountHeaders | undefined;
  /** @param usedAuthorization the header that the provider refused: if it was replaced since, no refresh is needed */
  refresh(
    accountId: AccountId,
    reason: 'expired' | 'unauthorized',
    usedAuthorization?: string,
  ): Promise<'refreshed' | 'already' | 'transient' | 'permanent'>;
}

/** How requests reach the provider. */
export interface Provider {
  readonly pool: UpstreamPool;
  /** Path of the provider's base URL, e.g. `/backend-api`. */
  readonly basePath: string;
  readonly accessTokens: AccessTokenSource;
  readonly outboundHeaders: (
    clientHeaders: readonly string[],
    account: AccountHeaders,
    requestId: string,
    content: { readonly accept: string; readonly contentType?: string | undefined },
  ) => OutboundHeaders;
  /** Called with the headers of every response, which report the account's usage. Must be cheap and never throw. */
  readonly learnUsage?: (accountId: AccountId, headers: HeaderLookup) => void;
}
