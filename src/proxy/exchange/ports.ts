import type { AccountId } from '../../domain/core/brands.ts';
import type { HeaderLookup } from '../../http/wire/headers.ts';
import type { AccountHeaders, OutboundContent, OutboundHeaders } from '../../provider/client/outboundHeaders.ts';
import type { AccessTokens } from '../../provider/tokens/accessTokens.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { UpstreamRoute } from '../upstream/upstreamRoutes.ts';
import type { Cooldowns } from './cooldowns.ts';

/** The accounts as this node knows them: the basis of a choice, and the place where failures are noted. */
export interface Accounts {
  readonly hot: HotState;
  readonly cooldowns: Cooldowns;
  /** @returns the next number of this node's round robin */
  readonly nextTurn: () => number;
  readonly deactivate: (accountId: AccountId, code: string) => void;
}

/** The file descriptors of this process. */
export interface Descriptors {
  /** Whether there is one for a connection to the provider. */
  readonly mayConnect: () => boolean;
  /** Called when the system has refused one. @param errno `EMFILE` or `ENFILE` */
  readonly onRefused: (errno: string) => void;
}

/** How an exchange calls the provider. */
export interface Provider {
  /** The connections that an account's requests use. Must be cheap: called for each attempt. */
  readonly routeOf: (accountId: AccountId) => UpstreamRoute;
  /** Path of the provider's base URL, e.g. `/backend-api`. */
  readonly basePath: string;
  readonly descriptors: Descriptors;
  readonly accessTokens: Pick<AccessTokens, 'headersFor' | 'refresh'>;
  readonly outboundHeaders: (
    clientHeaders: readonly string[],
    account: AccountHeaders,
    requestId: string,
    content: OutboundContent,
  ) => OutboundHeaders;
  /** Called with the headers of every response, which report the account's usage. Must be cheap and must not throw. */
  readonly learnUsage?: (accountId: AccountId, headers: HeaderLookup) => void;
}
