import type { HeaderLookup } from '../../http/wire/headers.ts';
import type { ProxyError } from '../errors/proxyError.ts';

/** Sends a response to the client: as a relayed stream, or as one JSON object at the end. */
export interface Delivery {
  /** The client has received a part of the response: from now on no other account is tried. */
  readonly hasBegun: boolean;
  /** The client reads events, so a failure that the provider sends as an event can be relayed. */
  readonly wantsEvents: boolean;
  /** Signs of life may be sent before the first event, because they do not begin the response. */
  readonly keepsAliveEarly?: boolean;
  /** Bytes of the provider's response that were relayed or collected. */
  readonly streamedBytes: number;
  /**
   * Takes complete events, none of which ends the response.
   * @returns false when the client is slower than the provider; `onDrain` is called when it has caught up
   */
  pass(bytes: Buffer, upstreamHeaders: HeaderLookup): boolean;
  /** Discards what was collected from an account that failed before the client received anything. */
  reset(): void;
  /** Ends the response with these events, the terminal one among them. */
  finish(bytes: Buffer, upstreamHeaders: HeaderLookup): void;
  /** Ends the response with an error: as a status when nothing was sent, else as an event. */
  fail(error: ProxyError): void;
  /** Called while the provider is silent: sends a sign of life if the form allows it. */
  keepAlive(): void;
  /** Breaks the connection, so that the client does not mistake this for a complete response. */
  destroy(): void;
}
