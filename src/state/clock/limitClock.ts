import { type Instant, instant } from '../../domain/core/brands.ts';
import { windowsTime } from '../../domain/limits/windowsClock.ts';
import type { HotState } from '../fold/hotState.ts';

export interface LimitClockOptions {
  readonly hot: HotState;
  readonly now: () => Instant;
}

/**
 * The time by which this node admits requests and shows limits. It never goes back while the process runs, also not behind
 * an admission that the log does not have yet, unless an operator accepts the clock.
 */
export class LimitClock {
  readonly #hot: HotState;
  readonly #now: () => Instant;
  #highest: Instant = instant(0);
  #accepted: HotState['windowsClock']['accepted'] = null;

  constructor({ hot, now }: LimitClockOptions) {
    this.#hot = hot;
    this.#now = now;
  }

  /** The time for an admission or for a new rule. */
  now(): Instant {
    const { windowsClock } = this.#hot;
    if (windowsClock.accepted !== this.#accepted) {
      this.#accepted = windowsClock.accepted;
      this.#highest = instant(0);
    }
    const time = windowsTime(windowsClock, this.#now());
    if (time > this.#highest) this.#highest = time;
    return this.#highest;
  }
}
