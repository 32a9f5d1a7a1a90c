import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/contract/tempFolder.ts';
import { damagedFile, damageIn, openDatabase } from './openDatabase.ts';

function errorOf(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

test.each([
  ['log.sqlite', 'Stop svc and restore the data folder from a backup.'],
  ['readmodels.sqlite', 'Stop svc and delete it: the next start makes it again from the event log.'],
])('names the path of a damaged %s, what is wrong and what to do, and keeps the code', async (name, remedy) => {
  await using folder = await tempFolder();
  const path = join(folder.path, name);
  writeFileSync(path, 'x'.repeat(5_000));
  const database = openDatabase(path);
  const error = errorOf(() => database.exec('CREATE TABLE t (a)'));
  expect(error).toMatchObject({
    errcode: 26,
    message: `${path} is damaged, or not a file of svc: file is not a database. ${remedy}`,
  });
  expect(damagedFile(error)).toBe(path);
  const fromThread = new Error(`the read models thread ended: ${error.message}`);
  expect(damageIn(fromThread)).toEqual({
    path,
    cause: `${path} is damaged, or not a file of svc: file is not a database.`,
    remedy,
  });
  database.close();
});

test('names a file that is found damaged by a statement that was prepared before', async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, 'log.sqlite');
  const writer = openDatabase(path);
  writer.exec(`CREATE TABLE t (a); INSERT INTO t VALUES ('${'x'.repeat(20_000)}')`);
  writer.close();
  const database = openDatabase(path);
  const statement = database.prepare('SELECT a FROM t');
  truncateSync(path, 4_096);
  expect(errorOf(() => statement.all()).message).toMatch(
    /log\.sqlite is damaged, or not a file of svc: .* malformed\./,
  );
  database.close();
});

test.each([{ readOnly: false }, { readOnly: true }])(
  'says that a file is a folder, and what to do: %o',
  async (options) => {
    await using folder = await tempFolder();
    const path = join(folder.path, 'mirror.sqlite');
    mkdirSync(path);
    expect(errorOf(() => openDatabase(path, options)).message).toBe(
      `${path} cannot be opened: it is a folder. Stop svc and delete it: the next start copies it again from EventStoreDB.`,
    );
  },
);

test.each(['-wal', '-shm', '-journal'])(
  'says that the %s beside a file is a folder, and what to do',
  async (suffix) => {
    await using folder = await tempFolder();
    const path = join(folder.path, 'log.sqlite');
    writeFileSync(path, '');
    mkdirSync(path + suffix);
    expect(errorOf(() => openDatabase(path)).message).toBe(
      `${path} cannot be opened: ${path}${suffix} is a folder, but SQLite needs a file there. Move the folder away, and put the file back if there was one.`,
    );
  },
);

test.each([{ readOnly: false }, { readOnly: true }])(
  'says that a file is a link to nothing, and what to do: %o',
  async (options) => {
    await using folder = await tempFolder();
    const path = join(folder.path, 'tree.sqlite');
    symlinkSync(join(folder.path, 'missing', 'tree.sqlite'), path);
    expect(errorOf(() => openDatabase(path, options))).toMatchObject({
      errcode: 14,
      message: `${path} cannot be opened: it is a link to a file that does not exist. Stop svc and delete it: the next start makes it again from the event log.`,
    });
  },
);

test('names a file whose write-ahead log cannot be opened', async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, 'checkpoints.sqlite');
  const writer = openDatabase(path);
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a)');
  writer.close();
  const database = openDatabase(path);
  mkdirSync(`${path}-wal`);
  expect(errorOf(() => database.prepare('SELECT a FROM t').all()).message).toBe(
    `${path} cannot be opened: unable to open database file. Give it to the user that runs svc.`,
  );
  database.close();
});

test('leaves other errors as they are', async () => {
  await using folder = await tempFolder();
  const database = openDatabase(join(folder.path, 'log.sqlite'));
  const error = errorOf(() => database.prepare('SELECT a FROM missing'));
  expect([error.message, damagedFile(error), damageIn(error)]).toEqual([
    'no such table: missing',
    undefined,
    undefined,
  ]);
  database.close();
});
