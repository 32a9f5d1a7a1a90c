import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { HeaderLookup } from '../../http/wire/headerLookup.ts';
import type { AccountHeaders, OutboundHeaders } from '../../provider/client/outboundHeaders.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { AdmittedRequest } from '../admission/admittedRequest.ts';
import type { Settled } from '../settlement/settlement.ts';
import type { UpstreamPool } from '../upstream/upstreamPool.ts';
import type { Cooldowns } from './cooldowns.ts';
import type { Exchange } from './exchange.ts';

export interface AccountTokens {
  /** Undefined when the account's access token has expired or is about to. */
  headersFor(accountId: AccountId): AccountHeaders | undefined;
  refresh(
    accountId: AccountId,
    reason: 'expired' | 'unauthorized',
    usedAuthorization?: string,
  ): Promise<'refreshed' | 'already' | 'transient' | 'permanent'>;
}

/** What an exchange works with; wired once, shared by all. */
export interface ExchangeServices {
  readonly hot: HotState;
  readonly cooldowns: Cooldowns;
  readonly tokens: AccountTokens;
  readonly upstream: UpstreamPool;
  readonly upstreamHeaders: (
    clientHeaders: readonly string[],
    account: AccountHeaders,
    requestId: string,
    content: { readonly accept: string; readonly contentType?: string | undefined },
  ) => OutboundHeaders;
  readonly settle: (settled: Settled) => Promise<void>;
  /** Told of the headers of every answer: they say how much of an account is used. Must be cheap, and may not throw. */
  readonly learnUsage?: (accountId: AccountId, headers: HeaderLookup) => void;
  readonly deactivate: (accountId: AccountId, code: string) => void;
  /** Keeps the items of an answer for clients that refer to them by id. */
  readonly remember: (request: AdmittedRequest, output: readonly unknown[]) => void;
  /** The account of a conversation by requests that the log does not have yet. */
  readonly pendingPin?: (digest: string) => AccountId | undefined;
  /** This node's round robin. */
  readonly nextTurn: () => number;
  readonly onDone: (exchange: Exchange) => void;
  /** Told of exceptions that are ours. */
  readonly report: (error: Error) => void;
  readonly now: () => Instant;
}
