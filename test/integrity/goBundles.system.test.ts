import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { readRows } from '../histories/forged/forgedFiles.ts';
import { aFolder } from '../histories/forged/honestLog.ts';
import { makeBundleOf, readBundle, signedFolder, writeForgedBundle } from '../support/evidence/bundles.ts';
import { aKey, vkeyOf } from '../support/evidence/signedFolder.ts';
import { buildGoVerifier } from '../support/integrity/build.ts';

vi.setConfig({ testTimeout: 120_000 });

const built = buildGoVerifier();
const verify = (file: string, vkey = vkeyOf(aKey(1))) =>
  spawnSync('path' in built ? built.path : '', [file, vkey], { encoding: 'utf8' }).stdout;

describe.skipIf('missing' in built)("Go's sumdb packages", () => {
  test('accept the checkpoints, proofs and leaves of evidence bundles', async () => {
    const folder = await signedFolder({ sizes: [10, 64, 150] });
    const all = await makeBundleOf(folder);
    expect(verify(all.path)).toMatch(
      new RegExp(`^intact: ${all.events} events of ${all.treeSize}, [2-4] checkpoints\\n$`),
    );
    const rows = readRows(folder).filter(({ type, position }) => type === 'RequestCompleted' && position <= 150);
    for (const { data } of [rows[0], rows[40], rows.at(-1)].filter((row) => row !== undefined)) {
      const one = await makeBundleOf(folder, { requests: [JSON.parse(data).requestId] });
      expect(verify(one.path)).toMatch(new RegExp(`^intact: ${one.events} events of ${one.treeSize}, `));
    }
    const some = await makeBundleOf(folder, { types: ['ApiKeyRenamed', 'ApiKeyCreated'] });
    expect(verify(some.path)).toMatch(/^intact: /);
    expect(verify(some.path, vkeyOf(aKey(2)))).toMatch(/^FAILED: checkpoints/);
  });

  test.each([
    ['an event', 'events/000001.jsonl', (text: string) => text.replace(/"revision":"(\d+)"/, '"revision":"9$1"')],
    ['a hash between events', 'proofs/000001.jsonl', flipHash],
    ['a proof of consistency', 'consistency.jsonl', (text: string) => text.replace(/"hashes":\["./, '"hashes":["/')],
  ])('refuse a bundle in which %s was changed, and its digests with it', async (_, name, change) => {
    const folder = await signedFolder({ sizes: [10, 64, 150] });
    const { path } = await makeBundleOf(folder, { types: ['ApiKeyRenamed'] });
    const contents = await readBundle(path);
    const before = contents.get(name) as string;
    const forged = join(await aFolder(), 'forged.zip');
    await writeForgedBundle(forged, contents.set(name, change(before)));
    expect(contents.get(name)).not.toBe(before);
    expect(readFileSync(forged).length).toBeGreaterThan(0);
    expect(verify(forged)).toMatch(/^FAILED: /);
  });
});

/** Changes the first character of the first hash. */
function flipHash(text: string): string {
  return text.replace(/"hash":"(.)/, (_, first) => `"hash":"${first === 'A' ? 'B' : 'A'}`);
}
