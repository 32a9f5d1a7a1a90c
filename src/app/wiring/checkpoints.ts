import { LOSSES_STREAM } from '../../domain/losses/events.ts';
import type { RecordedEvent, StoredEvent } from '../../eventLog/eventLog.ts';
import { keepCheckpoints } from '../../integrity/checkpoints/keepCheckpoints.ts';
import { sharedNotes } from '../../integrity/checkpoints/sharedNotes.ts';
import type { AcceptedLoss } from '../../integrity/checkpoints/signer.ts';
import type { Tree } from '../../integrity/tree/tree.ts';
import type { Post } from '../../lib/outgoing/post.ts';
import { CHECKPOINT_FILES } from './checkpointFiles.ts';
import { isLossOfCheckpoints, isLossOfKey } from './checkpointLosses.ts';
import { checkpointSettings } from './checkpointSettings.ts';
import type { Foundation } from './foundation.ts';

export type KeptCheckpoints = ReturnType<typeof keepCheckpoints>;

/**
 * Opens the checkpoints of the log, which are signed and published once they are started.
 * @throws InvalidConfig | InvalidCheckpointKey, and the error of SQLite
 */
export async function openCheckpoints(
  { config, folder, store, hot, faults, leaderTasks }: Foundation,
  { tree, post }: { readonly tree: Tree; readonly post: Post },
): Promise<KeptCheckpoints> {
  const losses: AcceptedLoss[] = [];
  const follow = (event: RecordedEvent | StoredEvent): void => {
    if (isLossOfCheckpoints(event) && event.position > (losses.at(-1)?.position ?? 0))
      losses.push({ position: event.position, isOfKey: isLossOfKey(event) });
  };
  await store.retryWhileUnavailable(async () => {
    for await (const event of store.log.readStream(LOSSES_STREAM)) follow(event);
  });
  hot.onFolded(follow);
  return keepCheckpoints({
    ...checkpointSettings(config, folder, store.vault),
    path: folder.file(CHECKPOINT_FILES.notes),
    markPath: folder.file(CHECKPOINT_FILES.mark),
    publicKeyPath: folder.file(CHECKPOINT_FILES.publicKey),
    tree,
    losses: () => losses,
    head: () => hot.state.position,
    post,
    shared: store.checkpoints && sharedNotes(store.checkpoints),
    lead: (work) => leaderTasks.start('checkpoints', work),
    faults,
    isCutOff: () => store.cutOffSince !== undefined,
  });
}
