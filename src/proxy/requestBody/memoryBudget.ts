import { ProxyError } from '../errors/proxyError.ts';
import { requestTooLarge } from './requestTooLarge.ts';

/** Memory of an open request beside its body, on both of its connections; measured with 2,000 open streams. */
const REQUEST_OVERHEAD_BYTES = 65_536;

/** Nearly every request of a client is smaller. */
const LARGE_REQUEST_BYTES = 1_048_576;

/** In seconds. Streams end and clients disconnect all the time, so memory is free again soon. */
const RETRY_AFTER = '2';

/**
 * The memory that all open requests together may use for what their clients sent. Rejects large requests before memory is
 * spent on them. The last quarter is reserved for small requests, and one request may use a quarter at most, because
 * reading a chat takes ten times its size for a moment.
 */
export class MemoryBudget {
  readonly #maxBytes: number;
  readonly #maxBytesForLarge: number;
  readonly #maxBytesForOne: number;
  #usedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#maxBytesForLarge = Math.floor(maxBytes * 0.75);
    this.#maxBytesForOne = Math.floor(maxBytes / 4);
  }

  /** By all requests together. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** The share of one more request. It is empty until `open`. */
  createShare(): MemoryShare {
    return new MemoryShare(this);
  }

  /**
   * @param requestBytes what the request would use in total
   * @throws ProxyError `overloaded`, or `request_too_large` when waiting would not help
   */
  acquire(bytes: number, requestBytes: number): void {
    if (requestBytes > this.#maxBytesForOne) throw requestTooLarge(this.#maxBytesForOne);
    const maxBytes = requestBytes > LARGE_REQUEST_BYTES ? this.#maxBytesForLarge : this.#maxBytes;
    if (this.#usedBytes + bytes > maxBytes) {
      throw new ProxyError('overloaded', {}, { headers: { 'retry-after': RETRY_AFTER } });
    }
    this.#usedBytes += bytes;
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}

/** What one request uses of the budget. */
export class MemoryShare {
  readonly #budget: MemoryBudget;
  #usedBytes = 0;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** Acquires what a request without a body uses. @throws ProxyError `overloaded` */
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

  /** Called when what the client sent is no longer needed. */
  releaseBody(): void {
    if (this.#usedBytes > REQUEST_OVERHEAD_BYTES) this.release(this.#usedBytes - REQUEST_OVERHEAD_BYTES);
  }

  /** Called when the request has ended. Idempotent. */
  close(): void {
    this.release(this.#usedBytes);
  }
}
