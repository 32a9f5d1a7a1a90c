import { type Instant, iso } from '../../domain/core/brands.ts';
import type { Faults } from '../../lib/faults.ts';
import type { HotRunner } from '../hotRunner.ts';
import { type Jump, LimitClock, MAX_CLOCK_DIFFERENCE_MS } from './limitClock.ts';

export interface ClockWatchOptions {
  readonly hot: Pick<HotRunner, 'state' | 'checkpoints'>;
  /** The clock of this machine. */
  readonly now: () => Instant;
  readonly monotonicNow?: () => number;
  readonly faults: Faults;
  /** Whether other nodes may write to the same log. */
  readonly sharesLog: boolean;
}

type RecordJump = (jump: Jump) => Promise<unknown>;

/** A start this long after the last event is reported: rather the clock is wrong than the service was away. */
const MAX_ABSENCE_MS = 31 * 86_400_000;
/** An operator should find a jump in the status for this long. */
const JUMP_SHOWN_MS = 3_600_000;
const CHECK_EVERY_MS = 1_000;

/**
 * Watches the clock of this machine: reports and records jumps, and says while the windows of limits do not follow it
 * (docs/decisions/0057-clock-of-limit-windows.md).
 */
export class ClockWatch {
  readonly limitClock: LimitClock;
  readonly #options: ClockWatchOptions;
  #record: RecordJump | undefined;
  /** Not recorded yet. */
  #jumps: Jump[] = [];
  #jumpShownUntil: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ClockWatchOptions) {
    const { hot, now, monotonicNow, sharesLog } = options;
    this.#options = options;
    this.limitClock = new LimitClock({
      hot: hot.state,
      now,
      ...(monotonicNow && { monotonicNow }),
      holdsOnJump: sharesLog,
      onJump: (jump) => this.#onJump(jump),
    });
    this.#compareWithLog();
  }

  /** @param record makes a jump an event */
  start(record: RecordJump): void {
    this.#record = record;
    this.#recordJumps();
    this.check();
    this.#timer = setInterval(() => this.check(), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Looks for a jump, and brings the faults up to date. */
  check(): void {
    const { hot, now, faults } = this.#options;
    this.limitClock.shown();
    const behindMs = hot.state.windowsClock.time - now();
    if (behindMs > MAX_CLOCK_DIFFERENCE_MS) {
      const reached = iso(hot.state.windowsClock.time);
      faults.raise({
        code: 'clock_behind_limits',
        cause:
          `The clock of this node is ${shownDuration(behindMs)} behind the time up to which limits have counted, ${reached}. ` +
          'They go on in the windows of that time, so a limit that is used up opens later than it should.',
        remedy: `If the clock is right now, accept it: ${HOW_TO_ACCEPT}. Otherwise correct it; this ends when it reaches that time.`,
      });
    } else faults.clear('clock_behind_limits');
    if (this.#jumpShownUntil !== undefined && performance.now() > this.#jumpShownUntil) this.#clearJump();
  }

  /** An operator has accepted the clock. */
  onAccepted(): void {
    this.#clearJump();
    this.check();
  }

  #compareWithLog(): void {
    const { hot, now } = this.#options;
    const { latest } = hot.checkpoints;
    const [from, to] = [latest, now()];
    if (latest < 0) return;
    if (from - to > MAX_CLOCK_DIFFERENCE_MS || to - from > MAX_ABSENCE_MS) this.#onJump({ from, to });
  }

  #onJump(jump: Jump): void {
    const { faults } = this.#options;
    const byMs = jump.to - jump.from;
    // Raised again with new times, because it is another jump.
    this.#clearJump();
    faults.raise({
      code: 'clock_jumped',
      cause:
        `The clock of this node jumped ${byMs < 0 ? 'back' : 'ahead'} by ${shownDuration(Math.abs(byMs))}, ` +
        `from ${iso(jump.from)} to ${iso(jump.to)}. Keys and sessions expire by the new time; limits go back with no clock.`,
      remedy: 'Check that the time of the machine is synchronised. This is shown for an hour.',
    });
    this.#jumpShownUntil = performance.now() + JUMP_SHOWN_MS;
    this.#jumps.push(jump);
    this.#recordJumps();
  }

  #clearJump(): void {
    this.#options.faults.clear('clock_jumped');
    this.#jumpShownUntil = undefined;
  }

  /** A jump that could not be recorded is recorded with the next one, or not at all: it is reported in any case. */
  #recordJumps(): void {
    const record = this.#record;
    if (!record) return;
    const jumps = this.#jumps;
    this.#jumps = [];
    for (const jump of jumps) record(jump).catch(() => this.#jumps.push(jump));
  }
}

const HOW_TO_ACCEPT = '"Accept clock" in the dashboard, or "svc accept-clock" while svc is stopped';

function shownDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
