import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { LogCannotStart, openForWriting, readPragma } from './database.ts';
import { createSqliteEventLog } from './sqliteEventLog.ts';

test('opens the file with a write-ahead log that is synced at every commit', async () => {
  await using folder = await tempFolder();
  const database = openForWriting({ path: join(folder.path, 'log.sqlite') });
  expect(readPragma(database, 'journal_mode')).toBe('wal');
  expect(readPragma(database, 'synchronous')).toBe(2);
  expect(readPragma(database, 'busy_timeout')).toBe(5_000);
  expect(readPragma(database, 'page_size')).toBe(8_192);
  database.close();
});

test('refuses a database without a write-ahead log and names the setting', () => {
  expect(() => openForWriting({ path: ':memory:' })).toThrow(
    new LogCannotStart(':memory:: SQLite keeps journal_mode = memory, but the log needs wal'),
  );
});

test('refuses a log that a newer svc created', async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, 'log.sqlite');
  const newer = new DatabaseSync(path);
  newer.exec('PRAGMA user_version = 99');
  newer.close();
  await expect(createSqliteEventLog({ path, node: 'test' })).rejects.toMatchObject({
    code: 'LOG_CANNOT_START',
    message: expect.stringContaining('newer svc'),
  });
});

test('fails with LOG_CANNOT_START when the folder does not exist, and names the folder', async () => {
  await using folder = await tempFolder();
  const missing = join(folder.path, 'missing');
  await expect(createSqliteEventLog({ path: join(missing, 'log.sqlite'), node: 'test' })).rejects.toMatchObject({
    code: 'LOG_CANNOT_START',
    message: `${join(missing, 'log.sqlite')} cannot be opened: unable to open database file. There is no folder ${missing}: create it, or set SVC_DATA_DIR to another.`,
  });
});
