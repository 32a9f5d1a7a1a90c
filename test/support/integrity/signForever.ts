// `node signForever.ts FOLDER PUBLISHED URL WITNESS_URL` grows a tree and signs and publishes checkpoints of it until it is killed.

import { join } from 'node:path';
import { keepCheckpoints } from '../../../src/integrity/checkpoints/keepCheckpoints.ts';
import { parseVkey, signingKeyOf } from '../../../src/integrity/notes/noteKeys.ts';
import { Faults } from '../../../src/lib/faults.ts';
import { createPost } from '../../../src/lib/outgoing/post.ts';
import { openMemoryTree } from './memoryTree.ts';
import { WITNESS_VKEY } from './witness.ts';

const [, , folder = '', published = '', url = '', witness = ''] = process.argv;
const tree = openMemoryTree(folder);
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const checkpoints = keepCheckpoints({
  path: join(folder, 'checkpoints.sqlite'),
  markPath: join(folder, 'checkpoints.mark'),
  publicKeyPath: join(folder, 'checkpoint.pub'),
  tree,
  key: signingKeyOf(Buffer.alloc(32, 1)),
  earlierKeys: [],
  losses: () => [],
  head: () => tree.size,
  places: { folder: published, url, witness: { url: witness, key: parseVkey(WITNESS_VKEY) } },
  post: createPost({ agentsFor: () => ({}), allowsLinkLocal: false }),
  lead(work) {
    void work({ signal: new AbortController().signal });
    return { isHere: true, stop: async () => undefined };
  },
  faults: new Faults({ print, now: Date.now }),
  intervalMs: 5,
});
if (tree.size === 0) tree.grow(1);
checkpoints.start();
let last = 0;
setInterval(() => {
  tree.grow(1 + Math.floor(Math.random() * 40));
  const size = checkpoints.latest()?.size ?? 0;
  if (size > last) print(`signed ${size}`);
  last = size;
}, 2);
