import { Checkpoints, type CheckpointsData } from '../fold/checkpoints.ts';
import type { Fold } from '../fold/fold.ts';
import { HotState, type HotStateData } from '../fold/hotState.ts';

/** A fold as plain data. Sealed values stay sealed in it. */
export interface FoldData {
  readonly state: HotStateData;
  readonly checkpoints: CheckpointsData;
}

export const dataOf = ({ state, checkpoints }: Fold): FoldData => ({
  state: state.data(),
  checkpoints: checkpoints.data(),
});

/** @param data the fold's own from now on */
export const foldFrom = ({ state, checkpoints }: FoldData): Fold => ({
  state: HotState.from(state),
  checkpoints: Checkpoints.from(checkpoints),
});

/** One text for one state, whether it was folded at a stretch or not: also the order of maps tells, because folds go by it. */
export const textOf = (data: unknown): string => JSON.stringify(data, asLists);

function asLists(_name: string, value: unknown): unknown {
  if (value instanceof Map) return [...value];
  return ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
}
