import type { Position } from '../domain/core/brands.ts';
import type { HotState } from '../state/fold/hotState.ts';

/** A decision whose replay gives another result than the recorded one. */
export interface Difference {
  readonly requestId: string;
  /** Position of the event that recorded the decision. */
  readonly position: Position;
  /** Position of the fold by which it was taken. */
  readonly decidedAt: Position;
  /** `attempt 1`, `no account`, `admission`, `estimate` or `model`. */
  readonly decision: string;
  readonly recorded: string;
  readonly replayed: string;
}

export type DecisionKind = 'choice' | 'admission' | 'estimate' | 'refusal';

/** A recorded decision, to be repeated once the fold has reached the position at which it was taken. */
export interface RecordedDecision extends Omit<Difference, 'replayed'> {
  readonly kind: DecisionKind;
  /** @returns the result by the fold at `decidedAt`, in the words of `recorded` */
  readonly repeat: (hot: HotState) => string;
}

/** @returns the difference, or undefined when the decision repeats */
export function differenceOf(decision: RecordedDecision, hot: HotState): Difference | undefined {
  const replayed = decision.repeat(hot);
  const { requestId, position, decidedAt, recorded } = decision;
  if (replayed === recorded) return undefined;
  return { requestId, position, decidedAt, decision: decision.decision, recorded, replayed };
}
