import type { Position } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { FoldUnavailable, type HotRunner } from '../hotRunner.ts';

/**
 * Waits until this node has folded the event at `position`. On a time-out the change is durable, but this node can neither
 * show it nor apply it to the next request yet.
 * @throws Refusal `log_unavailable` with `isCommitted`
 */
export async function waitUntilApplied(hot: Pick<HotRunner, 'whenFolded'>, position: Position): Promise<void> {
  try {
    await hot.whenFolded(position);
  } catch (error) {
    if (!(error instanceof FoldUnavailable)) throw error;
    refuse('log_unavailable', { reason: error.message, isCommitted: true });
  }
}
