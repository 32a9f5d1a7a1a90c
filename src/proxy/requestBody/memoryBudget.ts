import { ProxyError } from '../errors/proxyError.ts';
import { tooLarge } from './readBody.ts';

/** What an open request holds beside its body, on both of its connections; measured with 2,000 open streams. */
const BYTES_OF_A_REQUEST = 65_536;

/** Nearly every request of a client is smaller. */
const LARGE_BYTES = 1_048_576;

/** Streams end, and clients hang up, every moment: there is room again soon. In seconds. */
const RETRY_AFTER = '2';

/**
 * Memory that all requests under way may hold together for what their clients sent. Many large ones at once are refused
 * before memory is spent on them, and before the process runs out of it. The last quarter is kept for small ones; one alone
 * may hold a quarter, because reading a chat takes ten times its size for a moment.
 */
export class MemoryBudget {
  readonly #maxBytes: number;
  readonly #maxBytesForLarge: number;
  readonly #maxBytesForOne: number;
  #held = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#maxBytesForLarge = Math.floor(maxBytes * 0.75);
    this.#maxBytesForOne = Math.floor(maxBytes / 4);
  }

  /** By all requests, in bytes. */
  get held(): number {
    return this.#held;
  }

  /** For one more request, of nothing yet. */
  share(): MemoryShare {
    return new MemoryShare(this);
  }

  /** @param own what the request would hold then @throws ProxyError `overloaded`, `request_too_large` where no wait would help */
  take(bytes: number, own: number): void {
    if (own > this.#maxBytesForOne) throw tooLarge(this.#maxBytesForOne);
    const most = own > LARGE_BYTES ? this.#maxBytesForLarge : this.#maxBytes;
    if (this.#held + bytes > most) throw new ProxyError('overloaded', {}, { headers: { 'retry-after': RETRY_AFTER } });
    this.#held += bytes;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}

/** What one request holds of the budget, in bytes. */
export class MemoryShare {
  readonly #budget: MemoryBudget;
  #held = 0;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** Takes what a request without a body holds. @throws ProxyError `overloaded` */
  begin(): void {
    this.take(BYTES_OF_A_REQUEST);
  }

  /** @throws ProxyError `overloaded`, `request_too_large`; then nothing was taken */
  take(bytes: number): void {
    this.#budget.take(bytes, this.#held + bytes);
    this.#held += bytes;
  }

  give(bytes: number): void {
    this.#budget.give(bytes);
    this.#held -= bytes;
  }

  /** What the client sent is not needed any more. */
  letBodyGo(): void {
    if (this.#held > BYTES_OF_A_REQUEST) this.give(this.#held - BYTES_OF_A_REQUEST);
  }

  /** The request is over. May be called twice. */
  end(): void {
    this.give(this.#held);
  }
}
