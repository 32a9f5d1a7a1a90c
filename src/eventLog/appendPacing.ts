import { type EventLoopUtilization, performance } from 'node:perf_hooks';

/** Appends over which arrivals are averaged, so that a burst alone begins no pauses. */
const WINDOW = 8;
/** Arrivals during an append from which on a pause lets the next one carry more. */
const MIN_ARRIVING = 3;
/** With so many events an append costs little per event, and a pause would only delay them. */
const MAX_ARRIVED = 8;
const MAX_PAUSE_MS = 2;
/** Share of the time that the thread works from which on it is busy. At half load it is 0.4 to 0.7. */
const BUSY = 0.8;
const SAMPLE_MS = 100;

/**
 * Decides how long a writer that has one append in flight waits for more events before the next one. A synced commit costs as
 * much as twenty events, so a busy thread lets each append carry about twice as many: it waits as long as the last append took.
 * Only what arrives during an append counts, not what arrives in a pause, so that pauses do not prolong themselves
 * (docs/decisions/0138-paced-appends.md).
 */
export class AppendPacing {
  readonly #isBusy: () => boolean;
  #arriving = 0;

  /** @param isBusy whether the thread has more work than time, so that a pause delays nothing */
  constructor(isBusy: () => boolean = watchThread()) {
    this.#isBusy = isBusy;
  }

  /**
   * Called after each append.
   * @param arrived number of events that arrived while it was in flight
   * @param tookMs how long it was in flight, in milliseconds
   * @returns milliseconds to wait before the next append, a whole number; 0 when it follows at once
   */
  pauseAfter(arrived: number, tookMs: number): number {
    this.#arriving += (Math.min(arrived, MAX_ARRIVED) - this.#arriving) / WINDOW;
    if (this.#arriving < MIN_ARRIVING || arrived >= MAX_ARRIVED || !this.#isBusy()) return 0;
    return Math.min(Math.ceil(tookMs), MAX_PAUSE_MS);
  }
}

/** @returns whether this thread was busy in the last tenth of a second or longer */
function watchThread(): () => boolean {
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  let sampledAt = performance.now();
  let isBusy = false;
  return () => {
    if (performance.now() - sampledAt < SAMPLE_MS) return isBusy;
    const now = performance.eventLoopUtilization();
    isBusy = performance.eventLoopUtilization(now, before).utilization >= BUSY;
    before = now;
    sampledAt = performance.now();
    return isBusy;
  };
}
