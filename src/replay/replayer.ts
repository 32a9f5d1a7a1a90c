import type { Position } from '../domain/core/brands.ts';
import type { RecordedEvent } from '../eventLog/eventLog.ts';
import { HotState } from '../state/fold/hotState.ts';
import { decisionsIn } from './decisionsIn.ts';
import { OwnCoolDowns } from './ownCoolDowns.ts';
import { type DecisionKind, type Difference, differenceOf, type RecordedDecision } from './recordedDecision.ts';

/** How many decisions were repeated, by kind, and those that gave another result. */
export interface Repeated {
  readonly counts: Record<DecisionKind, number>;
  /** Decisions that gave the recorded result. */
  repeated: number;
  readonly differences: Difference[];
}

export const noneRepeated = (): Repeated => ({
  counts: { choice: 0, admission: 0, estimate: 0, refusal: 0 },
  repeated: 0,
  differences: [],
});

/** A decision that was recorded too long after it was taken to be repeated in the same pass. */
export interface LateDecision {
  readonly decidedAt: Position;
  /** Of the event that recorded it. */
  readonly position: Position;
}

export interface ReplayerOptions {
  /** The fold to begin with; empty by default. */
  readonly hot?: HotState;
  /** Whether the decisions of an event are repeated; by default those of all events. */
  readonly isWanted?: (event: RecordedEvent) => boolean;
  /** Number of events by which the fold stays behind the events that are read, to meet decisions that are recorded later. */
  readonly lag?: number;
}

/** A request of a minute. Under more load, or with longer streams, further decisions are late. */
export const LAG = 20_000;

/**
 * Repeats recorded decisions from the log alone: each from the fold at the position where it was taken and from what the
 * node knew beyond the log, which the decision recorded as its `overlay` (docs/decisions/0028-replayable-decisions.md). The
 * event that records a decision comes later in the log, so the fold follows `lag` events behind.
 */
export class Replayer {
  readonly #hot: HotState;
  readonly #options: ReplayerOptions;
  readonly #lag: number;
  readonly #ownCoolDowns = new OwnCoolDowns();
  /** Events that were read and are not folded yet, from `#folded` on. */
  #ahead: RecordedEvent[] = [];
  #folded = 0;
  readonly #waiting = new Map<Position, RecordedDecision[]>();
  readonly #result = noneRepeated();
  readonly #late: LateDecision[] = [];

  constructor(options: ReplayerOptions = {}) {
    this.#options = options;
    this.#hot = options.hot ?? new HotState();
    this.#lag = options.lag ?? LAG;
  }

  /** Called with the events after the position of the fold, in order. */
  add(event: RecordedEvent): void {
    this.#ownCoolDowns.add(event);
    this.#ahead.push(event);
    if (this.#options.isWanted?.(event) ?? true)
      for (const decision of decisionsIn(event, this.#ownCoolDowns)) this.#plan(decision);
    if (this.#ahead.length - this.#folded > this.#lag) this.#foldNext();
  }

  /** Folds the remaining events. @returns what was repeated, and what another pass must repeat */
  end(): Repeated & { readonly late: readonly LateDecision[] } {
    while (this.#folded < this.#ahead.length) this.#foldNext();
    return { ...this.#result, late: this.#late };
  }

  #repeat(decision: RecordedDecision): void {
    this.#result.counts[decision.kind] += 1;
    const difference = differenceOf(decision, this.#hot);
    if (difference) this.#result.differences.push(difference);
    else this.#result.repeated += 1;
  }

  #plan(decision: RecordedDecision): void {
    const { decidedAt, position } = decision;
    if (decidedAt < this.#hot.position) this.#late.push({ decidedAt, position });
    else if (decidedAt === this.#hot.position) this.#repeat(decision);
    else {
      const waiting = this.#waiting.get(decidedAt);
      if (waiting) waiting.push(decision);
      else this.#waiting.set(decidedAt, [decision]);
    }
  }

  #foldNext(): void {
    this.#hot.apply(this.#ahead[this.#folded] as RecordedEvent);
    this.#folded += 1;
    const { position } = this.#hot;
    const due = this.#waiting.get(position);
    if (due) {
      this.#waiting.delete(position);
      for (const decision of due) this.#repeat(decision);
    }
    if (this.#folded < this.#lag) return;
    this.#ahead = this.#ahead.slice(this.#folded);
    this.#folded = 0;
    this.#ownCoolDowns.forgetUpTo(position);
  }
}
