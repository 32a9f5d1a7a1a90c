import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { newEventId } from '../eventId.ts';
import { openForWriting } from './database.ts';
import { type EventRow, prepareInsertEvents } from './insertEvents.ts';

const rows = (count: number): EventRow[] =>
  Array.from({ length: count }, (_, revision) => ['s', revision, newEventId(), 'T', 1, 2, '{"a":1}', '{"b":2}']);

test.each([1, 2, 31, 32, 33, 64, 100])('inserts %i rows in order and returns the last position', async (count) => {
  await using folder = await tempFolder();
  const database = openForWriting({ path: join(folder.path, 'log.sqlite') });
  const given = rows(count);
  expect(prepareInsertEvents(database)(given)).toBe(count);
  const statement = database.prepare(
    'SELECT stream, revision, id, type, version, time, data, metadata FROM events ORDER BY position',
  );
  statement.setReturnArrays(true);
  expect(statement.all()).toEqual(given);
  database.close();
});

test('rolls back the transaction when an id is already in use', async () => {
  await using folder = await tempFolder();
  const database = openForWriting({ path: join(folder.path, 'log.sqlite') });
  const insert = prepareInsertEvents(database);
  const given = rows(3);
  database.exec('BEGIN');
  insert(given.slice(0, 2));
  expect(() => insert([given[2] as EventRow, given[0] as EventRow])).toThrow();
  expect(database.isTransaction).toBe(false);
  expect(database.prepare('SELECT count(*) AS count FROM events').get()).toEqual({ count: 0 });
  database.close();
});
