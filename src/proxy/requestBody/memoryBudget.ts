import { ProxyError, requestTooLarge } from '../errors/proxyError.ts';

/** Memory of an open request apart from its body, on both of its connections; measured with 2,000 open streams. */
const REQUEST_OVERHEAD_BYTES = 65_536;

/** Nearly every request of a client is smaller. */
const LARGE_REQUEST_BYTES = 1_048_576;

/** In seconds. Streams end and clients disconnect all the time, so memory soon becomes available. */
const RETRY_AFTER = '2';

/**
 * Limits the memory that all open requests together use for what their clients sent. Rejects large requests before they
 * use memory. The last quarter is reserved for small requests, and one request may use a quarter at most, because reading
 * a chat briefly needs ten times its size.
 */
export class MemoryBudget {
  readonly #maxBytes: number;
  readonly #maxBytesForLarge: number;
  readonly #maxBytesForOne: number;
  readonly #onRefused: () => void;
  #usedBytes = 0;

  /** @param onRefused called with every request that does not fit */
  constructor(maxBytes: number, onRefused: () => void = () => undefined) {
    this.#onRefused = onRefused;
    this.#maxBytes = maxBytes;
    this.#maxBytesForLarge = Math.floor(maxBytes * 0.75);
    this.#maxBytesForOne = Math.floor(maxBytes / 4);
  }

  /** Used by all requests together. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Creates the share of one request, which is empty until `open`. */
  createShare(): MemoryShare {
    return new MemoryShare(this);
  }

  /**
   * Reserves memory for a request.
   * @param requestBytes total of the request, these `bytes` included
   * @throws ProxyError `overloaded`, or `request_too_large` when waiting would not help
   */
  acquire(bytes: number, requestBytes: number): void {
    if (requestBytes > this.#maxBytesForOne) throw requestTooLarge(this.#maxBytesForOne);
    const maxBytes = requestBytes > LARGE_REQUEST_BYTES ? this.#maxBytesForLarge : this.#maxBytes;
    if (this.#usedBytes + bytes > maxBytes) {
      this.#onRefused();
      throw new ProxyError('overloaded', {}, { headers: { 'retry-after': RETRY_AFTER } });
    }
    this.#usedBytes += bytes;
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}

/** The memory that one request uses of the budget. */
export class MemoryShare {
  readonly #budget: MemoryBudget;
  #usedBytes = 0;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** Acquires the memory of a request without a body. @throws ProxyError `overloaded` */
  open(): void {
    this.acquire(REQUEST_OVERHEAD_BYTES);
  }

  /** @throws ProxyError `overloaded`, `request_too_large`; nothing is acquired then */
  acquire(bytes: number): void {
    this.#budget.acquire(bytes, this.#usedBytes + bytes);
    this.#usedBytes += bytes;
  }

  release(bytes: number): void {
    this.#budget.release(bytes);
    this.#usedBytes -= bytes;
  }

  /** Releases the memory of the body. Called when the body is no longer needed. */
  releaseBody(): void {
    if (this.#usedBytes > REQUEST_OVERHEAD_BYTES) this.release(this.#usedBytes - REQUEST_OVERHEAD_BYTES);
  }

  /** Releases everything. Called when the request has ended. Idempotent. */
  close(): void {
    this.release(this.#usedBytes);
  }
}
