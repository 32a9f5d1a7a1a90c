import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readRows } from '../../test/histories/forged/forgedFiles.ts';
import { copyOf, honestFolder } from '../../test/histories/forged/honestLog.ts';
import { archiveFolder, withArchiveHost } from '../../test/support/archives/archiveFolder.ts';
import { restoreDay } from '../archive/restoreDay.ts';
import { leafEntryOf } from '../integrity/leaf/leafEntry.ts';
import { MerkleTree } from '../integrity/merkle/merkleTree.ts';
import { verifyFolder } from './verifyFolder.ts';

const threads = 1;

/** An archived folder, and the root that its log had with the events since. */
async function archivedFolder() {
  const folder = await honestFolder(3);
  const before = readRows(folder);
  await archiveFolder(folder);
  const since = readRows(folder).filter(({ position }) => position > before.length);
  const tree = new MerkleTree();
  for (const row of [...before, ...since]) tree.append(leafEntryOf(row));
  return { folder, events: before.length + since.length, root: tree.root().toString('hex') };
}

/** A copy of a folder whose archive was changed. */
async function withArchive(archived: string, change: (database: DatabaseSync) => void): Promise<string> {
  const folder = await copyOf(archived);
  const database = new DatabaseSync(join(folder, 'archive.sqlite'));
  change(database);
  database.close();
  return folder;
}

test('verifies an archived log to the root that the whole log has, with and without its tree', async () => {
  const { folder, root, events } = await archivedFolder();
  const expected = { ok: true, root, events, findings: [] };
  expect(await verifyFolder({ folder, threads })).toMatchObject(expected);
  expect(await verifyFolder({ folder, threads, from: 40, to: 60 })).toMatchObject({ ok: true, findings: [] });
  rmSync(join(folder, 'tree.sqlite'));
  expect(await verifyFolder({ folder, threads })).toMatchObject(expected);
});

test('verifies a log whose archived rows are back', async () => {
  const { folder, events } = await archivedFolder();
  await withArchiveHost(folder, (host) => restoreDay({ host, folder: join(folder, 'archives'), what: '2026-01-01' }));
  expect(await verifyFolder({ folder, threads })).toMatchObject({ ok: true, findings: [], events: events + 1 });
});

test('finds an archive that is missing or was changed', async () => {
  const { folder } = await archivedFolder();
  const kinds = async (changed: string) =>
    (await verifyFolder({ folder: changed, threads })).findings.map(({ kind, stream }) => `${kind} ${stream}`);
  const missing = await copyOf(folder);
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(missing, `archive.sqlite${suffix}`), { force: true });
  expect(await kinds(missing)).toContain('edited archive.sqlite');
  const entry = await withArchive(folder, (database) => {
    const row = database.prepare('SELECT block, lines FROM entries LIMIT 1').get();
    const text = zstdDecompressSync(row?.lines as Uint8Array).toString();
    const lines = zstdCompressSync(text.replace(/"dataSha256":"./, '"dataSha256":"0'));
    database.prepare('UPDATE entries SET lines = ? WHERE block = ?').run(lines, row?.block as number);
  });
  expect(await kinds(entry)).toContain('edited archive.sqlite');
  const header = await withArchive(folder, (database) =>
    database.exec(`UPDATE segments SET header = replace(header, '"root":"', '"root":"0')`),
  );
  expect(await kinds(header)).toContain('edited archive.sqlite');
  const state = await withArchive(folder, (database) => database.exec("UPDATE segments SET state = x'00'"));
  expect(await kinds(state)).toContain('edited archive.sqlite');
});

test('finds an event that is missing and was never archived', async () => {
  const { folder } = await archivedFolder();
  const changed = await copyOf(folder);
  const database = new DatabaseSync(join(changed, 'log.sqlite'));
  const { position } = database.prepare("SELECT position FROM events WHERE type = 'ApiKeyRenamed' LIMIT 1").get() as {
    position: number;
  };
  database.prepare('DELETE FROM events WHERE position = ?').run(position);
  database.close();
  const { findings } = await verifyFolder({ folder: changed, threads });
  expect(findings.some((finding) => finding.kind === 'deleted' && finding.position === position)).toBe(true);
});
