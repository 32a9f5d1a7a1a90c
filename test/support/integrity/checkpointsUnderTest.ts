import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { keepCheckpoints } from '../../../src/integrity/checkpoints/keepCheckpoints.ts';
import type { KeepCheckpointsOptions } from '../../../src/integrity/checkpoints/keepCheckpointsOptions.ts';
import { signingKeyOf } from '../../../src/integrity/notes/noteKeys.ts';
import { createPost } from '../../../src/lib/outgoing/post.ts';
import { collectFaults } from '../collectFaults.ts';
import { temporaryFolder } from '../management.ts';
import { type MemoryTree, openMemoryTree } from './memoryTree.ts';

/** A checkpoint key of the tests. */
export const keyOf = (byte: number) => signingKeyOf(Buffer.alloc(32, byte));

export interface CheckpointsSetup extends Partial<KeepCheckpointsOptions> {
  readonly folder?: string;
  readonly tree?: MemoryTree;
}

/** Runs checkpoints over a tree in this process until the test ends. */
export function startCheckpoints({
  folder = temporaryFolder(),
  tree = openMemoryTree(folder),
  ...more
}: CheckpointsSetup = {}) {
  const lines: string[] = [];
  const faults = collectFaults(lines);
  const checkpoints = keepCheckpoints({
    path: join(folder, 'checkpoints.sqlite'),
    markPath: join(folder, 'checkpoints.mark'),
    publicKeyPath: join(folder, 'checkpoint.pub'),
    tree,
    key: keyOf(1),
    earlierKeys: [],
    losses: () => [],
    head: () => tree.size,
    places: {},
    post: createPost({ agentsFor: () => ({}), allowsLinkLocal: false }),
    lead: leadAlone,
    faults,
    intervalMs: 20,
    ...more,
  });
  checkpoints.start();
  const stop = () => checkpoints.stop(tree.size);
  onTestFinished(stop);
  return { folder, tree, checkpoints, faults, lines, stop, codes: () => faults.current.map(({ code }) => code) };
}

/** The only node leads until it is stopped. */
export const leadAlone: KeepCheckpointsOptions['lead'] = (work) => {
  const ending = new AbortController();
  const working = work({ signal: ending.signal });
  return {
    isHere: true,
    async stop() {
      ending.abort();
      await working;
    },
  };
};
