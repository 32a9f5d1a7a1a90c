import type { Checkpoints, StoredCheckpoint } from '../../../src/integrity/checkpoints/checkpoints.ts';
import { signCheckpoint } from '../../../src/integrity/notes/checkpoint.ts';
import { signingKeyOf, verifierKey } from '../../../src/integrity/notes/noteKeys.ts';
import type { Tree } from '../../../src/integrity/tree/tree.ts';

const ORIGIN = 'svc/test';
const SEED_BYTES = 32;

/** Checkpoints in memory that are signed when they are asked for, and are published nowhere. */
export function signedCheckpoints(
  tree: Tree,
): Checkpoints & { readonly vkey: string; readonly sign: (position: number) => Promise<StoredCheckpoint> } {
  const key = signingKeyOf(Buffer.alloc(SEED_BYTES, 7));
  const stored: StoredCheckpoint[] = [];
  async function sign(position: number): Promise<StoredCheckpoint> {
    await tree.reached(position, 5_000);
    const { size, root } = await tree.root();
    if (size < position) throw new Error(`the tree has ${size} leaves, not ${position}`);
    const note = signCheckpoint({ origin: ORIGIN, size, root, extensions: [] }, [key]);
    const checkpoint = { origin: ORIGIN, size, root: root.toString('hex'), note, signedAt: Date.now() };
    stored.push(checkpoint);
    return checkpoint;
  }
  return {
    origin: ORIGIN,
    vkey: verifierKey(ORIGIN, key.publicKey).vkey,
    refusal: undefined,
    latest: () => stored.at(-1),
    covering: async (position) => stored.find(({ size }) => size >= position) ?? sign(position),
    between: () => stored,
    keyChanges: () => [],
    targets: [{ kind: 'folder', target: '/published', size: 0, publishedAt: null, failure: 'no space left' }],
    stop: async () => undefined,
    sign,
  };
}
