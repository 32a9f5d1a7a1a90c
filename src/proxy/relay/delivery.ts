import type { HeaderLookup } from '../../http/wire/headerLookup.ts';
import type { ProxyError } from '../errors/proxyError.ts';

/** How an answer reaches the client: as a stream that is passed on, or as one JSON object at its end. */
export interface Delivery {
  /** The client has seen a byte of the answer: from now on there is no other account. */
  readonly hasBegun: boolean;
  /** The client reads events, so that a failure inside the stream can be told as one. */
  readonly wantsEvents: boolean;
  /** Bytes of the answer that were passed on or collected. */
  readonly streamedBytes: number;
  /**
   * Takes whole events that do not end the answer.
   * @returns false when the client is slower than the provider; `onDrain` tells when to go on
   */
  pass(bytes: Buffer, upstreamHeaders: HeaderLookup): boolean;
  /** Forgets what an account said before it failed unseen: another one begins anew. */
  reset(): void;
  /** Ends the answer with these events, the ending one among them, byte for byte. */
  finish(bytes: Buffer, upstreamHeaders: HeaderLookup): void;
  /** Ends the answer with an error: a real status when nothing was sent, else `response.failed`. */
  fail(error: ProxyError): void;
  /** A sign of life while the provider is silent. */
  keepAlive(): void;
  /** Gives up at once; the client sees a broken connection, never a clean end. */
  destroy(): void;
}
