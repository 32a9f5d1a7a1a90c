import type { Position } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { FoldUnavailable, type HotRunner } from '../hotRunner.ts';

/**
 * Waits until this node has folded what was written. When that takes too long the write is durable all the same, but what
 * it made cannot be shown yet, and does not bind this node's next request yet.
 * @throws Refusal `log_unavailable`, which says that the change was made
 */
export async function waitUntilApplied(hot: Pick<HotRunner, 'whenFolded'>, position: Position): Promise<void> {
  try {
    await hot.whenFolded(position);
  } catch (error) {
    if (!(error instanceof FoldUnavailable)) throw error;
    refuse('log_unavailable', { reason: error.message, isCommitted: true });
  }
}
