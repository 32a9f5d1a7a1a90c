import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { readRows, removeWitnesses } from '../../test/histories/forged/forgedFiles.ts';
import { aFolder, copyOf, honestFolder } from '../../test/histories/forged/honestLog.ts';
import { publish, vkeyOf } from '../../test/histories/forged/publishedCheckpoints.ts';
import { archiveDays } from '../archive/archiveDays.ts';
import { instant } from '../domain/core/brands.ts';
import { createSqliteEventLog } from '../eventLog/sqlite/sqliteEventLog.ts';
import { createSqliteReadModels } from '../readModels/sqlite/sqliteReadModels.ts';
import { verifyFolder } from './verifyFolder.ts';

const threads = 1;

/** A log whose requests are archived, with checkpoints of before. */
async function archivedLog() {
  const folder = await honestFolder(1);
  removeWitnesses(folder, 'tree.sqlite');
  const [rows, checkpoints] = [readRows(folder), await aFolder()];
  publish(rows, checkpoints, [1, 60, 100, rows.length]);
  const before = await verifyFolder({ folder, threads });
  const [logPath, archivePath] = [join(folder, 'log.sqlite'), join(folder, 'archive.sqlite')];
  const log = await createSqliteEventLog({ path: logPath, node: 'n1', archivePath });
  const host = {
    log,
    logPath,
    removeRows: log.removeRows,
    restoreRows: log.restoreRows,
    actor: { kind: 'system', reason: 'test' } as const,
    now: () => instant(Date.UTC(2026, 5, 1)),
  };
  const { archived } = await archiveDays({ host, folder: await aFolder(), until: '9999-12-31' });
  expect(archived).not.toEqual([]);
  const head = await log.head();
  await log.close();
  expect(readRows(folder).length).toBeLessThan(rows.length);
  const readModels = createSqliteReadModels({ folder, logPath });
  await readModels.requestLog.page({}, 1, 0, head);
  await readModels.close();
  return { folder, rows, before, options: { threads, checkpoints, publicKey: vkeyOf(rows) } };
}

function change(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'archive.sqlite'));
  database.exec(sql);
  database.close();
}

test('verifies a log whose requests are archived, against checkpoints of before', async () => {
  const { folder, rows, before, options } = await archivedLog();
  const files = readdirSync(folder);
  const result = await verifyFolder({ folder, ...options });
  expect(result.findings).toEqual([]);
  expect(result.notes.join('\n')).not.toMatch(/read models/);
  // The event that names the archived day has come since.
  expect(result.events).toBe(before.events + 1);
  expect(readdirSync(folder)).toEqual(files);
  expect(await verifyFolder({ folder, ...options, to: rows.length })).toMatchObject({ ok: true, root: before.root });
  expect(await verifyFolder({ folder, threads, from: rows.length - 2 })).toMatchObject({ ok: true, events: 4 });
  const unsealed = await verifyFolder({ folder, ...options, isUnsealed: true });
  expect(unsealed).toMatchObject({ ok: true, root: result.root });
  expect(unsealed.notes.join('\n')).toMatch(/has the root of the checkpoint .* with \d+ events/);
});

test('finds what was changed in the archive', async () => {
  const { folder, options } = await archivedLog();
  const forged = async (sql: string) => {
    const copy = await copyOf(folder);
    change(copy, sql);
    const { findings } = await verifyFolder({ folder: copy, ...options });
    return findings.map(({ kind, stream }) => `${kind} ${stream}`);
  };
  expect(await forged('UPDATE segments SET state = zeroblob(10)')).toContain('edited archive.sqlite');
  expect(await forged('UPDATE segments SET rollUps = zeroblob(10)')).toContain('edited archive.sqlite');
  expect(await forged(`UPDATE segments SET header = replace(header, '"events":', '"events":1')`)).toContain(
    'edited archive.sqlite',
  );
  expect(await forged("UPDATE segments SET status = 'restored'")).toContain('edited archive.sqlite');
  expect(await forged('DELETE FROM entries')).toContain('edited archive.sqlite');
  rmSync(join(folder, 'archive.sqlite'));
  const { findings } = await verifyFolder({ folder, ...options });
  expect(findings.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['edited', 'deleted']));
});
