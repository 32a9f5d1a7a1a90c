import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { readRows } from '../../test/histories/forged/forgedFiles.ts';
import { copyOf, honestFolder } from '../../test/histories/forged/honestLog.ts';
import { archiveFolder, changeArchivedEntry, withArchiveHost } from '../../test/support/archives/archiveFolder.ts';
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
  const entry = await copyOf(folder);
  changeArchivedEntry(entry);
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

/** A folder with archived days and published checkpoints, and what `--unsealed` and the whole verification find in changed copies of it. */
async function unsealedFolder() {
  const archived = await archivedFolder();
  const rows = readRows(archived.folder);
  const change = async (of: 'log' | 'archive', sql: string) => {
    const folder = await copyOf(archived.folder);
    const database = new DatabaseSync(join(folder, `${of}.sqlite`));
    database.exec(sql);
    database.close();
    const kinds = async (isUnsealed: boolean) =>
      (await verifyFolder({ folder, threads, isUnsealed })).findings.map(({ kind }) => kind);
    return { unsealed: await kinds(true), whole: await kinds(false) };
  };
  return { ...archived, rows, change };
}

test('verifies what is unsealed to the root of the whole log, and says what was taken from a seal', async () => {
  const { folder, root, events } = await archivedFolder();
  const result = await verifyFolder({ folder, threads, isUnsealed: true });
  expect(result).toMatchObject({ ok: true, root, findings: [] });
  expect(result.events).toBeLessThan(events / 2);
  expect(result.notes).toContainEqual(expect.stringMatching(/^Only what is unsealed .* the seal of 2026-/));
  rmSync(join(folder, 'tree.sqlite'));
  expect(await verifyFolder({ folder, threads, isUnsealed: true })).toMatchObject({ ok: true, root });
});

test('verifies everything where a loss was accepted before the newest seal', async () => {
  const { folder, rows } = await unsealedFolder();
  const database = new DatabaseSync(join(folder, 'log.sqlite'));
  database.exec(`UPDATE events SET stream = 'losses-main', revision = 900 WHERE position = ${rows[0]?.position}`);
  database.close();
  const { notes, events } = await verifyFolder({ folder, threads, isUnsealed: true });
  expect(notes).toContainEqual(expect.stringMatching(/^A loss was accepted at position 1, before the newest seal/));
  expect(events).toBe(rows.at(-1)?.position);
});

test('verifies everything of a log without archived days', async () => {
  const folder = await honestFolder(3);
  const whole = await verifyFolder({ folder, threads });
  const { notes, ...unsealed } = await verifyFolder({ folder, threads, isUnsealed: true });
  expect(unsealed).toMatchObject({ ok: true, root: whole.root, events: whole.events });
  expect(notes).toContain('No day is archived, so that everything was verified.');
});

test('finds changes of what is unsealed, of seals, and of administrative events among archived ones', async () => {
  const { rows, change } = await unsealedFolder();
  const last = rows.at(-1)?.position ?? 0;
  const renamed = rows.find(({ type }) => type === 'ApiKeyRenamed')?.position ?? 0;
  const both = async (of: 'log' | 'archive', sql: string, kind: string) => {
    const { unsealed, whole } = await change(of, sql);
    expect(unsealed, sql).toContain(kind);
    expect(whole, sql).toContain(kind);
  };
  await both('log', `UPDATE events SET time = time + 1 WHERE position = ${last}`, 'edited');
  await both('log', `UPDATE events SET time = time + 1 WHERE position = ${renamed}`, 'edited');
  await both('log', `DELETE FROM events WHERE position = ${renamed}`, 'deleted');
  await both('archive', `UPDATE segments SET header = replace(header, '"root":"', '"root":"0')`, 'edited');
  await both('archive', "UPDATE segments SET state = x'00'", 'edited');
  await both('archive', 'UPDATE segments SET edge = zeroblob(length(edge))', 'edited');
  await both('archive', "UPDATE segments SET edge = x'00'", 'edited');
});

test('leaves archived leaf entries to the whole verification', async () => {
  const { folder } = await archivedFolder();
  const changed = await copyOf(folder);
  changeArchivedEntry(changed);
  expect((await verifyFolder({ folder: changed, threads, isUnsealed: true })).findings).toEqual([]);
  const { findings } = await verifyFolder({ folder: changed, threads });
  expect(findings.map(({ stream }) => stream)).toContain('archive.sqlite');
});

test('finds a leaf of an archived event that tree.sqlite has otherwise', async () => {
  const { folder } = await archivedFolder();
  const database = new DatabaseSync(join(folder, 'tree.sqlite'));
  database.exec(
    "UPDATE recent SET entries = CAST(replace(CAST(entries AS TEXT), 'RequestCompleted', 'RequestComplotes') AS BLOB)",
  );
  database.close();
  const { findings } = await verifyFolder({ folder, threads });
  expect(findings).toContainEqual(expect.objectContaining({ kind: 'edited', stream: 'tree.sqlite' }));
});
