import { type Instant, instant } from '../../domain/core/brands.ts';
import { countedAt, windowsTime } from '../../domain/limits/windowsClock.ts';
import type { HotState } from '../fold/hotState.ts';

/** Clocks that differ by more than this do not agree. */
export const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/** Monotonic clocks of some systems drift by seconds a day, which is no jump. */
const COMPARED_FOR_MS = 3_600_000;

/** A clock moved against the time that has passed. */
export interface Jump {
  /** What it should have shown. */
  readonly from: Instant;
  /** What it showed. */
  readonly to: Instant;
}

export interface LimitClockOptions {
  readonly hot: HotState;
  /** The clock of this machine. */
  readonly now: () => Instant;
  /** Milliseconds that never go back. */
  readonly monotonicNow?: () => number;
  /**
   * Other nodes share the log, so the windows go on as if the clock of this node had not jumped until that clock agrees with
   * theirs. A single node has no other clock to follow.
   */
  readonly holdsOnJump: boolean;
  /** Called once for each jump. */
  readonly onJump: (jump: Jump) => void;
}

/** A time, and the monotonic time at which it was right. */
interface Anchor {
  readonly time: number;
  readonly at: number;
}

/**
 * The time by which this node admits requests and begins limits (docs/decisions/0057-clock-of-limit-windows.md). It never goes
 * back while the process runs, also not behind an admission that the log does not have yet, unless an operator accepts the
 * clock.
 */
export class LimitClock {
  readonly #options: LimitClockOptions;
  readonly #monotonicNow: () => number;
  /** The clock of this machine after its last jump. */
  #anchor: Anchor;
  /** The time to follow instead of the clock of this machine. */
  #held: Anchor | undefined;
  #highest: Instant = instant(0);
  #accepted: HotState['windowsClock']['accepted'];

  constructor(options: LimitClockOptions) {
    this.#options = options;
    this.#monotonicNow = options.monotonicNow ?? (() => performance.now());
    this.#anchor = { time: options.now(), at: this.#monotonicNow() };
    this.#accepted = options.hot.windowsClock.accepted;
  }

  /** Whether the windows do not follow the clock of this machine, because it does not agree with those of other nodes. */
  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** How far the clock of this machine is ahead of the held time. */
  get heldByMs(): number {
    const { now } = this.#options;
    return this.#held ? now() - timeOf(this.#held, this.#monotonicNow()) : 0;
  }

  /** The time for an admission; later ones are never before it. */
  now(): Instant {
    const time = this.shown();
    if (time > this.#highest) this.#highest = time;
    return this.#highest;
  }

  /** The time for a new limit, which moves the clock once it is in the log. */
  ofNewLimit(): Instant {
    const time = this.shown();
    return time > this.#highest ? time : this.#highest;
  }

  /** The time for figures: what the log says, without admissions that it does not have yet. Notices a jump first. */
  shown(): Instant {
    const { hot, now } = this.#options;
    const [wall, at] = [now(), this.#monotonicNow()];
    this.#followAcceptance(wall, at);
    const expected = timeOf(this.#anchor, at);
    if (Math.abs(wall - expected) > MAX_CLOCK_DIFFERENCE_MS) this.#onJump({ from: instant(expected), to: wall }, at);
    else if (at - this.#anchor.at > COMPARED_FOR_MS) this.#anchor = { time: wall, at };
    if (this.#held && Math.abs(wall - timeOf(this.#held, at)) <= MAX_CLOCK_DIFFERENCE_MS) this.#held = undefined;
    return windowsTime(hot.windowsClock, this.#held ? instant(timeOf(this.#held, at)) : wall);
  }

  /** Follows the admission of a request that this node has recorded and the log does not have yet. */
  follow(request: Parameters<typeof countedAt>[1]): void {
    if (request.admission === undefined) return;
    const time = countedAt(this.#options.hot.windowsClock, request);
    if (time > this.#highest) this.#highest = time;
  }

  /** Goes on from `time` instead of the clock of this machine, until that agrees with the clock of another node. */
  holdAt(time: Instant): void {
    this.#held = { time, at: this.#monotonicNow() };
  }

  /** Another node's clock agrees, or there is no other node: follows the clock of this machine again. */
  release(): void {
    this.#held = undefined;
  }

  #onJump(jump: Jump, at: number): void {
    this.#anchor = { time: jump.to, at };
    if (this.#options.holdsOnJump) this.#held ??= { time: jump.from, at };
    this.#options.onJump(jump);
  }

  /** The windows go on from the accepted time. The clock of this machine may be another one than the accepted. */
  #followAcceptance(wall: Instant, at: number): void {
    const { accepted } = this.#options.hot.windowsClock;
    if (accepted === null || accepted === this.#accepted) return;
    this.#accepted = accepted;
    this.#highest = instant(0);
    const isOtherClock = this.#options.holdsOnJump && Math.abs(wall - accepted.time) > MAX_CLOCK_DIFFERENCE_MS;
    this.#held = isOtherClock ? { time: accepted.time, at } : undefined;
  }
}

const timeOf = ({ time, at }: Anchor, now: number): number => Math.round(time + now - at);
