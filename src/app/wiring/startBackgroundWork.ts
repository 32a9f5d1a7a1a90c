import type { LogVerifier } from '../../eventLog/verification/keepVerified.ts';
import type { ProgressQueries } from '../../readModels/progressQueries.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { SnapshotKeeper } from '../../state/snapshots/keepSnapshots.ts';

export interface BackgroundWorkOptions {
  readonly hot: { readonly state: Pick<HotRunner['state'], 'position'> };
  readonly progress: ProgressQueries;
  readonly snapshots: Pick<SnapshotKeeper, 'start'>;
  readonly verifier: Pick<LogVerifier, 'start'>;
  /** Maximum number of times that the read models are asked, each of which takes up to a second. */
  readonly maxAttempts?: number;
}

/** Read models that take longer, or that cannot be reached, hold up nothing else. */
const MAX_ATTEMPTS = 60;

/**
 * Starts the threads that read much of the log in the background one after the other: first the read models catch up, then a
 * snapshot is made if one is due, then events are verified. At once they would double the memory of a first start.
 */
export async function startBackgroundWork(options: BackgroundWorkOptions): Promise<void> {
  const { hot, progress, snapshots, verifier, maxAttempts = MAX_ATTEMPTS } = options;
  const { position } = hot.state;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const reached = await progress.reached(position).catch(() => undefined);
    if (reached === undefined || reached >= position) break;
  }
  await snapshots.start();
  verifier.start();
}
