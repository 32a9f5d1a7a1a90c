import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { leafHash } from '../merkle/hashes.ts';
import { MerkleTree, TILE_WIDTH } from '../merkle/merkleTree.ts';
import { verifyConsistency, verifyInclusion } from '../merkle/proofs.ts';
import { decodeBundle } from './entryBundle.ts';
import { openTileReader, openTileStore } from './sqliteTileStore.ts';
import { tilesOf } from './tilePaths.ts';
import { TreeReader, TreeWriter } from './tileTree.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-tiles-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newPath = () => join(folder, `tree-${files++}.sqlite`);
const entriesOf = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `entry ${from + at}`);

function rootOf(size: number): Buffer {
  const tree = new MerkleTree();
  for (const entry of entriesOf(0, size)) tree.append(entry);
  return tree.root();
}

describe('the tree in tiles', () => {
  test('is the same in whatever steps it grows, and after every reopening', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 8 }), (steps) => {
        const path = newPath();
        let size = 0;
        for (const step of steps) {
          const store = openTileStore(path);
          const writer = new TreeWriter(store);
          expect(writer.size).toBe(size);
          writer.append(entriesOf(size, size + step));
          size += step;
          expect(writer.root()).toEqual(rootOf(size));
          store.close();
        }
        const tiles = openTileReader(path);
        const reader = new TreeReader(tiles);
        expect(reader.size()).toBe(size);
        for (const name of tilesOf(size)) {
          const bytes = reader.read(name) as Buffer;
          if (name.level !== 'entries') {
            expect(bytes.length).toBe(32 * name.width);
            continue;
          }
          const first = name.index * TILE_WIDTH;
          expect(decodeBundle(bytes).map(String)).toEqual(entriesOf(first, first + name.width));
          const hashes = reader.read({ ...name, level: 0 }) as Buffer;
          for (const [at, entry] of decodeBundle(bytes).entries()) {
            expect(hashes.subarray(32 * at, 32 * at + 32)).toEqual(leafHash(entry));
          }
        }
        tiles.close();
      }),
      runs(12),
    );
  });

  test('has root and proofs of every earlier size', () => {
    const store = openTileStore(newPath());
    const writer = new TreeWriter(store);
    const size = 70_000;
    writer.append(entriesOf(0, size));
    const reader = new TreeReader(store);
    expect(reader.root()).toEqual(writer.root());
    fc.assert(
      fc.property(fc.integer({ min: 1, max: size }), fc.nat(), fc.nat(), (to, x, y) => {
        const root = reader.root(to);
        const index = x % to;
        verifyInclusion(index, to, leafHash(`entry ${index}`), reader.inclusionProof(index, to), root);
        const from = y % (to + 1);
        verifyConsistency(from, reader.root(from), to, root, reader.consistencyProof(from, to));
        expect(reader.entry(index)?.toString()).toBe(`entry ${index}`);
      }),
      runs(40),
    );
    for (const at of [0, 1, 255, 256, 257, 65_535, 65_536, 65_537]) expect(reader.root(at)).toEqual(rootOf(at));
    expect(() => reader.root(size + 1)).toThrow(`the tree has ${size} leaves`);
    expect(reader.entry(size)).toBeUndefined();
    store.close();
  });

  test('serves a tile in any width up to the present one, and none beyond', () => {
    const store = openTileStore(newPath());
    new TreeWriter(store).append(entriesOf(0, 300));
    const reader = new TreeReader(store);
    expect(reader.read({ level: 0, index: 1, width: 44 })?.length).toBe(44 * 32);
    expect(reader.read({ level: 0, index: 0, width: 3 })?.length).toBe(3 * 32);
    expect(decodeBundle(reader.read({ level: 'entries', index: 1, width: 7 }) as Buffer).map(String)).toEqual(
      entriesOf(256, 263),
    );
    expect(reader.read({ level: 0, index: 1, width: 45 })).toBeUndefined();
    expect(reader.read({ level: 1, index: 0, width: 2 })).toBeUndefined();
    expect(reader.read({ level: 2, index: 0, width: 1 })).toBeUndefined();
    store.close();
  });

  test('a reader of another connection sees each growth whole', () => {
    const path = newPath();
    const store = openTileStore(path);
    const writer = new TreeWriter(store);
    const tiles = openTileReader(path);
    const reader = new TreeReader(tiles);
    for (let size = 0; size < 1_000; size += 90) {
      expect(reader.size()).toBe(size);
      expect(reader.root()).toEqual(writer.root());
      writer.append(entriesOf(size, size + 90));
    }
    tiles.close();
    store.close();
  });

  test('a growth that the store refuses leaves the tree unchanged', () => {
    const path = newPath();
    const store = openTileStore(path);
    const writer = new TreeWriter(store);
    writer.append(entriesOf(0, 300));
    const other = openTileStore(path);
    const second = new TreeWriter(other);
    second.append(entriesOf(300, 310));
    expect(() => writer.append(['another entry'])).toThrow('the tree has 310 leaves, and not the 300');
    writer.append(entriesOf(310, 600));
    expect(writer.root()).toEqual(rootOf(600));
    expect(() => writer.append([Buffer.alloc(70_000)])).toThrow('more than 65535');
    expect(writer.root()).toEqual(rootOf(600));
    store.close();
    other.close();
  });

  test('begins again after clear', () => {
    const store = openTileStore(newPath());
    new TreeWriter(store).append(entriesOf(0, 600));
    store.clear();
    const writer = new TreeWriter(store);
    expect(writer.size).toBe(0);
    writer.append(entriesOf(0, 10));
    expect(writer.root()).toEqual(rootOf(10));
    store.close();
  });

  test('says which tile is missing', () => {
    const store = openTileStore(newPath());
    new TreeWriter(store).append(entriesOf(0, 600));
    const broken = new TreeReader({
      size: () => 600,
      readTile: (level, index) => (level === 0 && index === 1 ? Buffer.alloc(32) : store.readTile(level, index)),
      readBundle: () => undefined,
    });
    expect(() => broken.inclusionProof(300, 600)).toThrow('tile 1 of level 0 has 1 hashes');
    expect(() => broken.entry(0)).toThrow('the bundle of entry 0 does not have it');
    const cut = new TreeReader({ size: () => 600, readTile: () => undefined, readBundle: () => Buffer.of(0, 9, 1) });
    for (const read of [() => cut.entry(0), () => cut.read({ level: 'entries', index: 0, width: 1 })]) {
      expect(read).toThrow(expect.objectContaining({ name: 'TilesDamaged' }));
    }
    store.close();
  });
});
