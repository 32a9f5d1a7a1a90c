import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openCheckpoint } from '../../src/integrity/notes/checkpoint.ts';
import { parseVkey, verifierKey } from '../../src/integrity/notes/noteKeys.ts';
import { logOrigin } from '../../src/integrity/published/logOrigin.ts';
import { readPublished } from '../../src/integrity/published/readPublished.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { keyOf, startCheckpoints } from '../support/integrity/checkpointsUnderTest.ts';
import { buildLitewitness, startLitewitness } from '../support/integrity/litewitness/litewitness.ts';
import { openMemoryTree } from '../support/integrity/memoryTree.ts';
import { temporaryFolder } from '../support/management.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const built = buildLitewitness();
const path = 'path' in built ? built.path : '';
const { origin } = logOrigin(Buffer.from('entry 0'));
const { vkey } = verifierKey(origin, keyOf(1).publicKey);
const soon = { timeout: 15_000, interval: 10 };

async function aWitness() {
  const folder = await tempDir('litewitness');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return await startLitewitness(path, folder.path, origin, vkey);
}

describe.skipIf('missing' in built)(`litewitness${'missing' in built ? ` (skipped: ${built.missing})` : ''}`, () => {
  test('cosigns the checkpoints of svc, which keeps the cosignatures', async () => {
    const witness = await aWitness();
    const published = temporaryFolder();
    const place = { url: witness.url, key: parseVkey(witness.vkey) };
    const { tree, checkpoints, codes } = startCheckpoints({ places: { witness: place, folder: published } });
    for (let round = 0; round < 6; round += 1) {
      tree.grow(1 + 97 * round);
      await vi.waitFor(
        () => expect(readPublished(published).checkpoints.some(({ size }) => size === tree.size)).toBe(true),
        soon,
      );
    }
    const { root } = await tree.root();
    expect(witness.head(origin)).toEqual({ size: tree.size, root: root.toString('base64') });
    const keys = [parseVkey(vkey), place.key];
    for (const { note } of readPublished(published).checkpoints)
      expect(openCheckpoint(note, keys).signatures).toHaveLength(2);
    expect(openCheckpoint(checkpoints.latest()?.note ?? '', keys).signatures).toHaveLength(2);
    expect(codes()).toEqual([]);
  });

  test('keeps a copy with another history from signing', async () => {
    const witness = await aWitness();
    const places = { witness: { url: witness.url, key: parseVkey(witness.vkey) } };
    const first = startCheckpoints({ places });
    first.tree.grow(20);
    await vi.waitFor(() => expect(witness.head(origin)?.size).toBe(20), soon);
    const tree = openMemoryTree(temporaryFolder());
    tree.grow(5);
    tree.grow(30, 'other ');
    const twin = startCheckpoints({ tree, places });
    await vi.waitFor(() => expect(twin.codes()).toContain('checkpoint_fork'), soon);
    expect(twin.checkpoints.latest()).toBeUndefined();
    expect(witness.head(origin)?.size).toBe(20);
  });
});
