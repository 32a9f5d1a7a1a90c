import type { Page } from '../../eventLog/sqlite/reader.ts';
import { Checkpoints } from './checkpoints.ts';
import type { FoldedEvent } from './foldedEvent.ts';
import { HotState } from './hotState.ts';

/** A fold of the log up to a position, to be gone on from. */
export interface Fold {
  readonly state: HotState;
  /** Where folds of the past begin. */
  readonly checkpoints: Checkpoints;
}

export const emptyFold = (checkpoints = new Checkpoints()): Fold => ({ state: new HotState(), checkpoints });

/** @param onFolded told after each event @throws what ended the page early, behind its last event */
export function foldPage(
  { state, checkpoints }: Fold,
  { events, failure }: Page<FoldedEvent>,
  onFolded?: () => void,
): void {
  for (const event of events) {
    state.apply(event);
    checkpoints.onFolded(state, event);
    onFolded?.();
  }
  if (failure) throw failure;
}
