import type { Socket } from 'node:net';
import type { HeaderBlock, HeaderLookup } from '../../http/wire/headers.ts';
import type { ClosableConnection } from '../../lib/descriptors/descriptorBudget.ts';

/** The pieces of a complete body, or a body that is forwarded while it arrives. */
export type RequestBody = readonly Buffer[] | AsyncIterable<Buffer>;

/** A POST to the provider. */
export interface UpstreamRequest {
  readonly path: string;
  /** Headers that this request shares with others; sent first. */
  readonly shared?: readonly HeaderBlock[];
  /** Alternating names and values, without control characters and within Latin-1. */
  readonly headers: readonly string[];
  readonly body: RequestBody;
}

/** Receives a response in order. */
export interface ResponseListener {
  /** Called once; interim responses (1xx) are skipped. */
  onHead(status: number, headers: HeaderLookup): void;
  /** Decoded bytes of the body; the listener owns the buffer. */
  onBody(bytes: Buffer): void;
  onEnd(): void;
}

/** Receives the outcome of a request. Nothing is called after `onEnd`, `onError` or an abort. */
export interface UpstreamListener extends ResponseListener {
  /** The connection failed or was closed early, the response is malformed, or the request's body threw. */
  onError(error: Error): void;
}

/** Controls a request in flight; has no effect once the response has ended. */
export interface UpstreamControl {
  readonly isPaused: boolean;
  /** Applies back-pressure to the provider. Bytes that were read already are still delivered. */
  pause(): void;
  resume(): void;
  /** Closes the connection. */
  abort(): void;
}

/**
 * Sends model requests to the provider. `plain/` and `undici/` implement it; `upstreamPool.int.test.ts` and
 * `keptConnections.int.test.ts` test both.
 */
export interface UpstreamPool {
  /**
   * POSTs on a connection that no other request uses until the response has ended. Calls the listener only after returning. A
   * request whose kept connection closes before the first byte of a response is sent once more, on a new connection; a body
   * that is forwarded while it arrives gets a new one at once.
   */
  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamControl;
  /** The number of connections that are open or being opened. */
  readonly connections: number;
  /** Whether there is a connection that the next request can use. */
  readonly hasIdle: boolean;
  /** Connections that no request uses and that can be closed, the oldest first. */
  readonly idle: readonly ClosableConnection[];
  /** Closes each connection once it is idle; there are no further requests. */
  close(): void;
  /** Closes all connections; requests in flight fail. */
  destroy(): void;
}

export interface UpstreamPoolOptions {
  /** `http:` or `https:` with host and port. */
  readonly origin: URL;
  /** Includes the TLS handshake. */
  readonly connectTimeoutMs: number;
  /** Maximum time that an unused connection is kept; the provider may ask for less with `Keep-Alive`. */
  readonly idleMs: number;
  /** Maximum age of a connection that gets a request, so that changes of DNS arrive. Responses in progress are not cut off. */
  readonly maxAgeMs: number;
  /** Certificate authorities to trust instead of the default ones, PEM. */
  readonly ca?: string | undefined;
  /**
   * Opens the connections to the origin, TLS and its time limit included, instead of the pool: through a proxy. A request fails
   * with what it throws.
   */
  readonly openConnection?: ((signal: AbortSignal) => Promise<Socket>) | undefined;
}

/** Whether all bytes of a body are in memory. */
export const isComplete = (body: RequestBody): body is readonly Buffer[] => Array.isArray(body);

/** @returns the sum of the lengths in bytes */
export function lengthOf(pieces: readonly Buffer[]): number {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length;
}
