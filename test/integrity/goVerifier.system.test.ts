import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { leafEntryOf } from '../../src/integrity/leaf/leafEntry.ts';
import { leafHash } from '../../src/integrity/merkle/hashes.ts';
import { signCheckpoint } from '../../src/integrity/notes/checkpoint.ts';
import { signingKeyOf, verifierKey } from '../../src/integrity/notes/noteKeys.ts';
import { openTileStore } from '../../src/integrity/tiles/sqliteTileStore.ts';
import { tilePath, tilesOf } from '../../src/integrity/tiles/tilePaths.ts';
import { TreeReader, TreeWriter } from '../../src/integrity/tiles/tileTree.ts';
import { buildGoVerifier } from '../support/integrity/build.ts';

vi.setConfig({ testTimeout: 120_000 });

const ORIGIN = 'svc.example/log';
const key = signingKeyOf(Buffer.alloc(32, 7));
const { vkey } = verifierKey(ORIGIN, key.publicKey);
const built = buildGoVerifier();
const folder = mkdtempSync(join(tmpdir(), 'svc-go-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const entryOf = (index: number) =>
  leafEntryOf({
    position: index + 1,
    stream: `stream "${index % 7}" \u00fc`,
    revision: Math.floor(index / 7),
    id: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
    type: 'RequestCompleted',
    version: 2,
    time: 1_795_000_000_000 + index,
    data: `{"index":${index}}`,
    metadata: `{"correlationId":"req_${index}"}`,
  });

/** Writes what svc would serve of a tree of this size, and 200 proofs. */
function publish(size: number): string {
  const out = join(folder, String(size));
  mkdirSync(out);
  const store = openTileStore(join(out, 'tree.sqlite'));
  const writer = new TreeWriter(store);
  for (let from = 0; from < size; from += 997) {
    writer.append(Array.from({ length: Math.min(997, size - from) }, (_, at) => entryOf(from + at)));
  }
  const reader = new TreeReader(store);
  for (const name of tilesOf(size)) {
    const path = join(out, tilePath(name));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, reader.read(name) as Buffer);
  }
  writeFileSync(
    join(out, 'checkpoint'),
    signCheckpoint({ origin: ORIGIN, size, root: writer.root(), extensions: [] }, [key]),
  );
  const text = (hash: Buffer) => hash.toString('base64');
  const proofs = Array.from({ length: 100 }, (_, at) => {
    const to = 1 + Math.floor(((at * 7919) % 100) * (size / 100));
    const from = 1 + ((at * 104_729) % to);
    const root = text(reader.root(to));
    const leaf = text(leafHash(reader.entry(from - 1) as Buffer));
    return [
      { kind: 'inclusion', from: from - 1, to, root, leaf, hashes: reader.inclusionProof(from - 1, to).map(text) },
      {
        kind: 'consistency',
        from,
        to,
        root,
        old: text(reader.root(from)),
        hashes: reader.consistencyProof(from, to).map(text),
      },
    ];
  }).flat();
  writeFileSync(join(out, 'proofs'), proofs.map((proof) => `${JSON.stringify(proof)}\n`).join(''));
  store.close();
  return out;
}

const verify = (out: string) => spawnSync('path' in built ? built.path : '', [out, vkey], { encoding: 'utf8' }).stdout;

describe.skipIf('missing' in built)("Go's sumdb packages", () => {
  test.each([1, 256, 257, 70_000])('accept checkpoint, tiles and proofs of %i leaves', (size) => {
    expect(verify(publish(size))).toBe(`intact: ${size} leaves, 200 proofs\n`);
  });

  test('refuse a changed checkpoint, tile, entry and proof', () => {
    const out = publish(1_000);
    for (const [file, at] of [
      ['checkpoint', 20],
      ['tile/0/002', 100],
      ['tile/1/000.p/3', 5],
      ['tile/entries/001', 300],
      ['proofs', 90],
    ] as const) {
      const path = join(out, file);
      const bytes = readFileSync(path);
      const forged = Buffer.from(bytes);
      forged[at] = (forged[at] as number) ^ 1;
      writeFileSync(path, forged);
      expect(verify(out), file).toMatch(/^FAILED: /);
      writeFileSync(path, bytes);
    }
    expect(verify(out)).toBe('intact: 1000 leaves, 200 proofs\n');
  });
});
