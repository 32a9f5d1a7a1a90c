import type { Page } from '../../eventLog/sqlite/reader.ts';
import { Checkpoints } from './checkpoints.ts';
import type { FoldedEvent } from './foldedEvent.ts';
import { HotState } from './hotState.ts';

/** A fold of the log up to a position, which can be continued. */
export interface Fold {
  readonly state: HotState;
  /** Starting points for folds of past states. */
  readonly checkpoints: Checkpoints;
}

/** A fold of no events. */
export const emptyFold = (checkpoints = new Checkpoints()): Fold => ({ state: new HotState(), checkpoints });

/** @param onFolded called after each event @throws the failure that ended the page early, after its last event */
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
