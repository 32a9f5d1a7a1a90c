import type { LogVerifier } from '../../eventLog/verification/keepVerified.ts';
import type { KeptTree } from '../../integrity/tree/keepTree.ts';
import type { ProgressQueries } from '../../readModels/progressQueries.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { SnapshotKeeper } from '../../state/snapshots/keepSnapshots.ts';
import type { TreeComparer } from '../../verification/keepTreeCompared.ts';
import type { KeptCheckpoints } from './checkpoints.ts';

export interface BackgroundWorkOptions {
  readonly hot: { readonly state: Pick<HotRunner['state'], 'position'> };
  readonly progress: ProgressQueries;
  readonly tree: Pick<KeptTree, 'start' | 'reached'>;
  readonly checkpoints: Pick<KeptCheckpoints, 'start'>;
  readonly snapshots: Pick<SnapshotKeeper, 'start'>;
  readonly verifier: Pick<LogVerifier, 'start'>;
  readonly treeComparer: Pick<TreeComparer, 'start'>;
  /** Maximum number of times that read models and tree are asked, each of which takes up to a second. */
  readonly maxAttempts?: number;
}

/** Read models that take longer, or that cannot be reached, hold up nothing else; nor does the tree. */
const MAX_ATTEMPTS = 60;
const ATTEMPT_MS = 1_000;

/**
 * Starts the threads that read much of the log in the background one after the other: first the read models catch up, then the
 * tree, of which checkpoints are signed from then on, then a snapshot is made if one is due, then events are verified and
 * compared with the tree. At once they would double the memory of a first start.
 */
export async function startBackgroundWork(options: BackgroundWorkOptions): Promise<void> {
  const { hot, progress, tree, checkpoints, snapshots, verifier, treeComparer, maxAttempts = MAX_ATTEMPTS } = options;
  const { position } = hot.state;
  const wait = async (reached: () => Promise<number>): Promise<void> => {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const at = await reached().catch(() => undefined);
      if (at === undefined || at >= position) return;
    }
  };
  await wait(() => progress.reached(position));
  tree.start();
  await wait(() => tree.reached(position, ATTEMPT_MS));
  checkpoints.start();
  await snapshots.start();
  verifier.start();
  treeComparer.start();
}
