import { Checkpoints, type CheckpointsData } from '../fold/checkpoints.ts';
import type { Fold } from '../fold/fold.ts';
import { HotState, type HotStateData } from '../fold/hotState.ts';

/** A fold as plain data. Sealed values stay sealed. */
export interface FoldData {
  readonly state: HotStateData;
  readonly checkpoints: CheckpointsData;
}

/** The data shares all values with the fold. */
export const dataOf = ({ state, checkpoints }: Fold): FoldData => ({
  state: state.data(),
  checkpoints: checkpoints.data(),
});

/** @param data is owned by the fold from now on */
export const foldFrom = ({ state, checkpoints }: FoldData): Fold => ({
  state: HotState.from(state),
  checkpoints: Checkpoints.from(checkpoints),
});

/** Equal states give equal texts, however often the fold was interrupted. The order of maps counts, because folds depend on it. */
export const canonicalText = (data: unknown): string => JSON.stringify(data, asLists);

function asLists(_name: string, value: unknown): unknown {
  if (value instanceof Map) return [...value];
  return ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
}
