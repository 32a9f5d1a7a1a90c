import {
  closeSync,
  copyFileSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { anEvent, someEvents } from '../../../test/contract/events.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { NO_STREAM } from '../eventLog.ts';
import { guardJournal, type JournalFault } from './journalGuard.ts';
import { createSqliteEventLog } from './sqliteEventLog.ts';

/** A log with 20 events, all of them in its write-ahead log. */
async function aLog() {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const path = join(folder.path, 'log.sqlite');
  const faults: (JournalFault | undefined)[] = [];
  const open = async () => {
    const log = await createSqliteEventLog({ path, node: 'test', onJournalFault: (fault) => faults.push(fault) });
    onTestFinished(() => log.close());
    return log;
  };
  const log = await open();
  for (let revision = NO_STREAM; revision < 19; revision += 1)
    expect(await log.append('firewall-main', revision, [anEvent()])).toMatchObject({ kind: 'committed' });
  const append = (revision = 19) => log.append('firewall-main', revision, someEvents(2));
  return { path, journal: `${path}-wal`, log, open, append, faults, copy: join(folder.path, 'copy.sqlite') };
}

/** What a kill at this moment would leave. */
function afterKill(path: string, copy: string) {
  for (const suffix of ['', '-wal'])
    if (statSync(path + suffix, { throwIfNoEntry: false })) copyFileSync(path + suffix, copy + suffix);
  using database = new DatabaseSync(copy);
  const { events } = database.prepare('SELECT count(*) AS events FROM events').get() as { events: number };
  return { events, integrity: database.prepare('PRAGMA integrity_check').get()?.integrity_check };
}

test.each([0, 0.5, 0.95])('rejects appends after the write-ahead log was cut to %s of its size', async (share) => {
  const { path, journal, log, append, faults } = await aLog();
  truncateSync(journal, Math.floor(statSync(journal).size * share));
  const before = readFileSync(path);
  const rejected = {
    kind: 'rejected',
    reason: `${journal} was cut while svc runs, so events that it had are lost`,
    remedy: expect.stringContaining('svc accept-loss'),
  };
  expect([await append(), await append()]).toEqual([rejected, rejected]);
  await expect(log.probe()).rejects.toThrow('was cut while svc runs');
  expect(faults).toEqual([expect.objectContaining({ reason: rejected.reason })]);
  await log.close();
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('rejects the next append after the database was cut, before a checkpoint lets it grow again', async () => {
  const { path, append, log } = await aLog();
  using other = new DatabaseSync(path);
  other.exec('PRAGMA wal_checkpoint(PASSIVE)');
  expect(await append()).toMatchObject({ kind: 'committed' });
  const { size } = statSync(path);
  truncateSync(path, 8_192);
  const rejected = {
    kind: 'rejected',
    reason: `${path} was cut while svc runs, so events that it had are lost`,
    remedy: 'Stop svc and restore the data folder from a backup.',
  };
  expect(await append(21)).toEqual(rejected);
  truncateSync(path, size);
  expect(await append(21)).toEqual(rejected);
  await log.close();
});

test('continues after another process has truncated the write-ahead log with a checkpoint', async () => {
  const { path, append, faults } = await aLog();
  using other = new DatabaseSync(path);
  expect(other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0, log: 0 });
  expect(await append()).toMatchObject({ kind: 'committed' });
  expect(faults).toEqual([]);
});

test('rejects appends while the write-ahead log is moved away, and has all events in the database', async () => {
  const { path, journal, append, faults, copy } = await aLog();
  renameSync(journal, `${journal}.moved`);
  await vi.waitUntil(() => faults.length > 0, waitOptions);
  expect(faults).toEqual([
    expect.objectContaining({
      reason: `${journal} was deleted, moved or replaced while svc runs`,
      remedy: expect.stringContaining('Nothing is lost'),
    }),
  ]);
  expect(await append()).toMatchObject({ kind: 'rejected' });
  expect(afterKill(path, copy)).toEqual({ events: 20, integrity: 'ok' });
  renameSync(`${journal}.moved`, journal);
  await vi.waitUntil(() => faults.length > 1, waitOptions);
  expect(faults[1]).toBeUndefined();
  expect(await append()).toMatchObject({ kind: 'committed' });
});

test('rejects appends after the write-ahead log was deleted, and continues with all events after a restart', async () => {
  const { path, journal, log, append, open, faults, copy } = await aLog();
  rmSync(journal);
  await vi.waitUntil(() => faults.length > 0, waitOptions);
  expect(await append()).toMatchObject({ kind: 'rejected' });
  expect(afterKill(path, copy)).toEqual({ events: 20, integrity: 'ok' });
  await log.close();
  const next = await open();
  expect(await next.append('firewall-main', 19, [anEvent()])).toMatchObject({ kind: 'committed', position: 21 });
});

test('looks at no file once it is closed, whatever its number is then, and closes none', async () => {
  const { path, log } = await aLog();
  await log.close();
  using database = new DatabaseSync(path);
  database.exec('CREATE TABLE t (a)');
  const guard = guardJournal(database, path);
  guard.close();
  const others = Array.from({ length: 3 }, () => openSync(path, 'r'));
  rmSync(`${path}-wal`);
  expect([guard.check(), guard.checkPath(), guard.isCut]).toEqual([undefined, undefined, false]);
  guard.close();
  for (const other of others) {
    expect(fstatSync(other).isFile()).toBe(true);
    closeSync(other);
  }
});
