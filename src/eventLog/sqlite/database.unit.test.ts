import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { LogCannotStart, openForWriting, setting } from './database.ts';
import { createSqliteEventLog } from './sqliteEventLog.ts';

test('the file is opened with a write-ahead log that is synced at every commit', async () => {
  await using folder = await tempFolder();
  const database = openForWriting({ path: join(folder.path, 'log.sqlite') });
  expect(setting(database, 'journal_mode')).toBe('wal');
  expect(setting(database, 'synchronous')).toBe(2);
  expect(setting(database, 'busy_timeout')).toBe(5_000);
  expect(setting(database, 'page_size')).toBe(8_192);
  database.close();
});

test('a place where SQLite cannot keep a write-ahead log is refused with the setting that differs', () => {
  expect(() => openForWriting({ path: ':memory:' })).toThrow(
    new LogCannotStart(':memory:: SQLite keeps journal_mode = memory, the log needs wal'),
  );
});

test('a log of a newer svc is not touched', async () => {
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

test('a folder that does not exist is one clear error', async () => {
  await using folder = await tempFolder();
  const opening = createSqliteEventLog({ path: join(folder.path, 'missing', 'log.sqlite'), node: 'test' });
  await expect(opening).rejects.toMatchObject({ code: 'LOG_CANNOT_START' });
});
