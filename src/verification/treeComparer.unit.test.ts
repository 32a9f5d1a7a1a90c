import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { leafHash } from '../integrity/merkle/hashes.ts';
import { openTileStore } from '../integrity/tiles/sqliteTileStore.ts';
import { TreeWriter } from '../integrity/tiles/tileTree.ts';
import { TreeComparer } from './treeComparer.ts';

const LEAVES = 700;
const entryOf = (index: number): string =>
  `{"correlationId":"request ${index}","position":${index + 1},"type":"${'x'.repeat((index * 7) % 400)}"}`;

/** A comparer of a tree of these entries. */
function comparerOf(entries: readonly string[]): TreeComparer {
  const folder = mkdtempSync(join(tmpdir(), 'svc-comparer-'));
  const store = openTileStore(join(folder, 'tree.sqlite'));
  new TreeWriter(store).append(entries);
  store.close();
  const comparer = new TreeComparer(join(folder, 'tree.sqlite'));
  onTestFinished(() => {
    comparer.close();
    rmSync(folder, { recursive: true });
  });
  return comparer;
}

/** Compares the leaves from one on, up to the end of its tile. */
const compare = (comparer: TreeComparer, from: number, entries: readonly string[]) =>
  comparer.compare(from, Buffer.concat(entries.map(leafHash)), entries);

const all = Array.from({ length: LEAVES }, (_, index) => entryOf(index));

test('finds no difference in full tiles, in a part of one, and in the last one', () => {
  const comparer = comparerOf(all);
  expect(compare(comparer, 0, all.slice(0, 256))).toEqual([]);
  expect(compare(comparer, 300, all.slice(300, 512))).toEqual([]);
  expect(compare(comparer, 512, all.slice(512))).toEqual([]);
  // The tree may be behind.
  expect(compare(comparer, 512, [...all.slice(512), entryOf(LEAVES)])).toEqual([]);
});

test.each([0, 255, 256, 511, 699])('finds leaf %i that is another one', (changed) => {
  const comparer = comparerOf(all);
  const own = all.with(changed, entryOf(changed).replace('request', 'REQUEST'));
  const tile = Math.floor(changed / 256) * 256;
  expect(compare(comparer, tile, own.slice(tile, tile + 256))).toEqual([changed]);
});

test('finds an entry whose bytes are no UTF-8 although they are the characters of it', () => {
  const own = all.slice(0, 256).with(7, '{"type":"\u00e9"}');
  expect(compare(comparerOf(own), 0, own)).toEqual([]);
  // The bundle has the byte 0xe9 where UTF-8 has two; its hashes are those of the log.
  const folder = mkdtempSync(join(tmpdir(), 'svc-comparer-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'tree.sqlite');
  const store = openTileStore(path);
  const entries = own.map((entry) => Buffer.from(entry, 'latin1'));
  store.append({
    from: 0,
    entries,
    fullTiles: [{ index: 0, hashes: Buffer.concat(own.map(leafHash)) }],
    upperTiles: [],
    edge: Buffer.alloc(0),
  });
  store.close();
  const comparer = new TreeComparer(path);
  expect(compare(comparer, 0, own)).toEqual([7]);
  comparer.close();
});
