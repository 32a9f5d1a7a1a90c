import type { Faults } from '../../lib/faults.ts';
import type { Post } from '../../lib/outgoing/post.ts';
import { withTimeout } from '../../lib/withTimeout.ts';
import type { Tree } from '../tree/tree.ts';
import { createFolderTarget } from './folderTarget.ts';
import { createHttpTarget } from './httpTarget.ts';
import type { PublishingPlaces } from './keepCheckpointsOptions.ts';
import type { NoteRecord } from './noteRecord.ts';
import type { NoteStore } from './noteStore.ts';
import { Publisher } from './publisher.ts';
import type { Target } from './target.ts';
import { createWitnessTarget } from './witnessTarget.ts';

export interface CreatePublishersOptions {
  readonly places: PublishingPlaces;
  readonly tree: Tree;
  readonly store: NoteStore;
  readonly post: Post;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  readonly now: () => number;
  /** Aborted when svc stops. */
  readonly signal: AbortSignal;
}

/** A note is published with the cosignature of the witness if that comes within this. */
const COSIGNATURE_MS = 3_000;

/** One publisher for each place. That of the witness is the first: the others wait a moment for its cosignature. */
export function createPublishers({ places, tree, store, post, faults, now, signal }: CreatePublishersOptions) {
  const witness =
    places.witness && createWitnessTarget({ ...places.witness, address: places.witness.url, tree, store, post });
  const targets: Target[] = [
    ...(witness ? [witness] : []),
    ...(places.folder === undefined ? [] : [createFolderTarget(places.folder)]),
    ...(places.url === undefined ? [] : [createHttpTarget(places.url, post)]),
  ];
  const publishers = targets.map(
    (target): Publisher =>
      new Publisher({ target, store, faults, now, beforeEach: target === witness ? undefined : cosigned }),
  );
  const witnessPublisher = witness && publishers[0];

  async function cosigned({ seq, kind }: NoteRecord): Promise<void> {
    if (!witnessPublisher || witnessPublisher.isFailing || kind !== 'checkpoint') return;
    await withTimeout(COSIGNATURE_MS, witnessPublisher.reached(seq, signal));
  }

  return { witness, publishers };
}
