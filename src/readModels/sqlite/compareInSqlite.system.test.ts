import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { appender, completed, refused, temporaryFolder } from '../../../test/support/management.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import { tablesOf } from './compare.ts';
import { SameRows, schemaOf } from './compareInSqlite.ts';
import { rebuildReadModels } from './rebuild.ts';

const folder = temporaryFolder(afterAll);
let copies = 0;

let path: Promise<string> | undefined;
/** The path of read models of three requests, made once. */
const made = () => (path ??= make());

async function make(): Promise<string> {
  const log = await createSqliteEventLog({ path: join(folder, 'log.sqlite'), node: 'test' });
  const append = appender(log, async () => undefined);
  await append(completed({ requestId: 'req_1' }), refused(), completed({ status: 'error', errorMessage: 'broke' }));
  await log.close();
  rebuildReadModels({ folder });
  return join(folder, 'readmodels.sqlite');
}

/** Makes a copy, changed by this SQL. */
async function copyWith(change = ''): Promise<string> {
  const path = join(folder, `copy${++copies}.sqlite`);
  using database = new DatabaseSync(await made());
  database.prepare('VACUUM INTO ?').run(path);
  using copy = new DatabaseSync(path);
  copy.exec(change);
  return path;
}

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  return database;
}

test('counts the rows of every table whose rows are the same, terms of text indexes included', async () => {
  const [path, copy] = [await made(), await copyWith()];
  const [live, other] = [open(path), open(copy)];
  expect(schemaOf(live)).toBe(schemaOf(other));
  const tables = tablesOf(live);
  const same = new SameRows(live, copy);
  const counts = tables.map((table) => [table.name, same.count(table)]);
  expect(counts).toEqual(tables.map(({ name }) => [name, expect.any(Number)]));
  expect(Object.fromEntries(counts)).toMatchObject({ requests: 3, messageTextsTerms: 21, messages: 2 });
});

test.each([
  ['requests', 'UPDATE requests SET attempts = 9 WHERE position = 3'],
  ['requests', 'DELETE FROM requests WHERE position = 3'],
  ['requests', 'UPDATE requests SET position = 9 WHERE position = 3'],
  ['requestKinds', 'UPDATE requestKinds SET model = NULL WHERE id = 1'],
  ['postings', "UPDATE postings SET offsets = x'0100'"],
  ['refusals', 'INSERT INTO refusals VALUES (1, 1, 1, 1)'],
  ['messageTextsTerms', "INSERT INTO messageTexts (rowid, text) VALUES (9, 'abc')"],
])('counts no rows of %s, in whichever file it was changed: %s', async (name, change) => {
  for (const [path, other] of [
    [await copyWith(change), await made()],
    [await made(), await copyWith(change)],
  ] as const) {
    const live = open(path);
    const table = tablesOf(live).find((each) => each.name === name);
    if (!table) throw new Error(`There is no table ${name}.`);
    expect(new SameRows(live, other).count(table)).toBeUndefined();
  }
});
