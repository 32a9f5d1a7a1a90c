import type { ProxyError } from '../errors/proxyError.ts';
import { endOfEvent } from '../providerResponse/sse.ts';
import { OutputMeter } from './outputMeter.ts';

/** Records the output of a stream so far. @returns the error to end it with when a limit is exceeded */
export type UseLimits = (outputTokens: number) => ProxyError | undefined;

/**
 * Watches a stream whose key has a limit with `on_exceeded: stop`. All streams of the key together exceed the limit by at
 * most one event each (docs/decisions/0024-limits-and-reservations.md).
 */
export class StreamStop {
  readonly #use: UseLimits;
  #meter = new OutputMeter();
  /** Set when a limit is exceeded: the stream must end with this error. */
  error: ProxyError | undefined;

  constructor(use: UseLimits) {
    this.#use = use;
  }

  /** The estimated output so far. */
  get outputTokens(): number {
    return this.#meter.tokens;
  }

  /**
   * Called with complete events before they are relayed.
   * @returns the number of bytes to relay: all, or when `error` is set up to the event that exceeded the limit
   */
  relay(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && !this.error) {
      at = this.#add(bytes, at);
      this.error = this.#use(this.outputTokens);
    }
    return at;
  }

  /** Counts events that are relayed whatever the limits say: the last ones of a response. */
  count(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) at = this.#add(bytes, at);
  }

  /** Called between events, because other requests use up the same limits. Sets `error`. */
  check(): void {
    this.error ??= this.#use(this.outputTokens);
  }

  /** Called when an attempt failed of which the client has received nothing. */
  reset(): void {
    this.#meter = new OutputMeter();
  }

  /** @returns the offset after the event */
  #add(bytes: Buffer, start: number): number {
    const found = endOfEvent(bytes, start);
    const end = found < 0 ? bytes.length : found;
    this.#meter.add(bytes, start, end);
    return end;
  }
}
