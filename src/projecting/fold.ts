import { Checkpoints } from './checkpoints.ts';
import { HotState } from './hotState.ts';

/** A fold of the log up to a position, to be gone on from. */
export interface Fold {
  readonly state: HotState;
  /** Where folds of the past begin. */
  readonly checkpoints: Checkpoints;
}

export const emptyFold = (checkpoints = new Checkpoints()): Fold => ({ state: new HotState(), checkpoints });
