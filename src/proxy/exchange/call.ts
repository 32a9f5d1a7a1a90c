import type { AccountId } from '../../domain/core/brands.ts';
import type { HeaderLookup } from '../../http/wire/headers.ts';
import type { AccountHeaders } from '../../provider/client/outboundHeaders.ts';
import type { Ending } from '../providerResponse/ending.ts';
import type { Failure } from '../providerResponse/failure.ts';
import type { UpstreamRoute } from '../upstream/upstreamRoutes.ts';
import type { Provider } from './ports.ts';

/** Receives the events of a call. `onFailed` is the last one. */
export interface CallListener {
  /** Called first, with the headers of any response, errors included. */
  onHeaders(headers: HeaderLookup): void;
  /**
   * Complete events of a successful response, beginning with the first that carries data.
   * @param ending set when one of them ends the response
   * @returns false to pause the provider until `resume`
   */
  onEvents(bytes: Buffer, ending: Ending | undefined): boolean;
  onFailed(failure: Failure): void;
}

/** One request to the provider on behalf of one account: over HTTP (`UpstreamCall`), or on a websocket. */
export interface Call {
  /** @param traceHeaders alternating names and values */
  start(route: UpstreamRoute, provider: Provider, account: AccountHeaders, traceHeaders?: readonly string[]): void;
  /** Ends the call at once; the listener is not called any more. */
  abort(): void;
  /** The response is complete: ignores what follows. */
  finish(): void;
  resume(): void;
  readonly isPaused: boolean;
  /** HTTP status of the response; undefined before its head has arrived. */
  readonly status: number | undefined;
  readonly headers: HeaderLookup;
  /** When bytes last moved in either direction, by `performance.now()`. */
  readonly lastActivityAt: number;
}

export type NewCall = (listener: CallListener, accountId: AccountId) => Call;

export const NO_HEADERS: HeaderLookup = new Map();
