import type { Fold } from '../../src/state/fold/fold.ts';
import { canonicalText } from '../../src/state/snapshots/canonicalText.ts';

/** Objects with their keys in order: an upcaster may add a field at another place. The order of maps counts. */
const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, inOrder(part)]));
};

/** The parts of a fold that a start continues from, for comparisons of folds that were made by different ways. */
export const partsOf = ({ state, checkpoints }: Fold): unknown =>
  inOrder(JSON.parse(canonicalText({ ...state.data(), stretches: checkpoints.stretches, latest: checkpoints.latest })));
