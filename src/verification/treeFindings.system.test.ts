import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { readRows, writeForgedExport, writeRows } from '../../test/histories/forged/forgedFiles.ts';
import { aFolder, copyOf, honestFolder, writeTree } from '../../test/histories/forged/honestLog.ts';
import { leafEntryOf } from '../integrity/leaf/leafEntry.ts';
import { fullSubtreeRoot } from '../integrity/merkle/hashes.ts';
import { MerkleTree } from '../integrity/merkle/merkleTree.ts';
import { openTileStore } from '../integrity/tiles/sqliteTileStore.ts';
import { TreeWriter } from '../integrity/tiles/tileTree.ts';
import { upperTilesDiffer } from './upperTiles.ts';
import { verifyExport } from './verifyExport.ts';
import { verifyFolder } from './verifyFolder.ts';

const threads = 1;

/** The root of the tree over the first events of a log. */
function rootOf(folder: string, size = Number.POSITIVE_INFINITY): string {
  const tree = new MerkleTree();
  for (const row of readRows(folder).slice(0, size)) tree.append(leafEntryOf(row));
  return tree.root().toString('hex');
}

/** A copy of the folder whose tree was changed. */
async function withTree(honest: string, change: (database: DatabaseSync) => void): Promise<string> {
  const folder = await copyOf(honest);
  const database = new DatabaseSync(join(folder, 'tree.sqlite'));
  change(database);
  database.close();
  return folder;
}

test('computes the root over all events, of a folder, of its beginning and of an export', async () => {
  const honest = await honestFolder(1);
  const root = rootOf(honest);
  expect(await verifyFolder({ folder: honest, threads })).toMatchObject({ ok: true, root, notes: [] });
  const part = await verifyFolder({ folder: honest, threads, to: 100 });
  expect(part).toMatchObject({ ok: true, root: rootOf(honest, 100) });
  expect(await verifyFolder({ folder: honest, threads, from: 2 })).toMatchObject({ ok: true, root: null });
  const file = join(await copyOf(honest), 'export');
  await writeForgedExport(file, readRows(honest));
  expect(await verifyExport(file, { threads })).toMatchObject({ ok: true, root });
});

test('finds nothing in a tree that is missing, behind or damaged', async () => {
  const folder = await honestFolder(1);
  const root = rootOf(folder);
  rmSync(join(folder, 'tree.sqlite'));
  expect(await verifyFolder({ folder, threads })).toMatchObject({ ok: true, root, notes: [] });
  const rows = readRows(folder);
  writeRows(folder, rows.slice(0, 70));
  writeTree(folder);
  writeRows(folder, rows);
  expect(await verifyFolder({ folder, threads })).toMatchObject({ ok: true, root, notes: [] });
  writeFileSync(join(folder, 'tree.sqlite'), 'damaged'.repeat(1_000));
  const { ok, notes } = await verifyFolder({ folder, threads });
  expect({ ok, notes }).toEqual({ ok: true, notes: [expect.stringContaining('tree.sqlite cannot be read')] });
});

test('finds a tree that reaches further than the log', async () => {
  const folder = await honestFolder(1);
  writeRows(folder, readRows(folder).slice(0, 70));
  for (const name of ['log.mark', 'readmodels.sqlite']) rmSync(join(folder, name));
  const { findings } = await verifyFolder({ folder, threads });
  expect(findings).toMatchObject([
    { kind: 'truncated', position: 71, expected: expect.stringContaining('tree.sqlite') },
  ]);
});

test('names the leaf whose hash or entry was changed in the tree', async () => {
  const honest = await honestFolder(1);
  const flipped = await withTree(honest, (database) => {
    const { hashes } = database.prepare('SELECT hashes FROM tiles WHERE level = 0 AND tile = 0').get() as never;
    (hashes as Uint8Array)[32 * 41] = ((hashes as Uint8Array)[32 * 41] as number) ^ 1;
    database.prepare('UPDATE tiles SET hashes = ? WHERE level = 0 AND tile = 0').run(hashes);
  });
  const expected = [{ kind: 'edited', stream: 'tree.sqlite', position: 42 }];
  expect((await verifyFolder({ folder: flipped, threads })).findings).toMatchObject(expected);
  const respelled = await withTree(honest, (database) => {
    const rows = database.prepare('SELECT first, entries FROM recent').all() as {
      first: number;
      entries: Uint8Array;
    }[];
    for (const { first, entries } of rows) {
      const changed = Buffer.from(entries).toString('latin1').replace('"position":42,', '"position":43,');
      database.prepare('UPDATE recent SET entries = ? WHERE first = ?').run(Buffer.from(changed, 'latin1'), first);
    }
  });
  expect((await verifyFolder({ folder: respelled, threads })).findings).toMatchObject(expected);
});

test('finds a changed tile above the leaves', async () => {
  const path = join(await aFolder(), 'tree.sqlite');
  const store = openTileStore(path);
  const [writer, roots] = [new TreeWriter(store), [] as Buffer[]];
  const tree = new MerkleTree((level, _, hashes) => level === 0 && roots.push(fullSubtreeRoot(hashes)));
  for (let leaf = 0; leaf < 1_000; leaf += 1) tree.append(`leaf ${leaf}`);
  writer.append(Array.from({ length: 1_000 }, (_, leaf) => `leaf ${leaf}`));
  expect(upperTilesDiffer(store, Buffer.concat(roots))).toBe(false);
  expect(upperTilesDiffer(store, Buffer.concat(roots.slice(0, 1)))).toBe(false);
  const changed = store.readTile(1, 0) as Buffer;
  changed[40] = (changed[40] as number) ^ 1;
  const reader = { ...store, size: () => 1_000, readBundle: () => undefined, readTile: () => changed };
  expect(upperTilesDiffer(reader, Buffer.concat(roots))).toBe(true);
  store.close();
});
