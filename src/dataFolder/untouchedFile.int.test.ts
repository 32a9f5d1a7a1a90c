import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from './openDatabase.ts';
import { reopenUntouched, untouchedFile } from './untouchedFile.ts';

const WAL_HEADER_BYTES = 32;

/** A database with three committed rows of which two are in the write-ahead log only, as a process leaves it that is killed. */
function killedWriter() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-untouched-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [live, killed, temporary] = ['live', 'killed', 'temporary'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [live, killed, temporary]) mkdirSync(path);
  const writer = new DatabaseSync(join(live, 'a.sqlite'));
  writer.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE a (b INTEGER); INSERT INTO a VALUES (1); PRAGMA wal_checkpoint(TRUNCATE)',
  );
  writer.exec('INSERT INTO a VALUES (2); INSERT INTO a VALUES (3)');
  for (const name of readdirSync(live)) copyFileSync(join(live, name), join(killed, name));
  writer.close();
  return { path: join(killed, 'a.sqlite'), folder: killed, temporary };
}

/** The rows, by a reader that leaves nothing in the folder. */
function rowsOf({ path, folder, temporary }: ReturnType<typeof killedWriter>): unknown[] {
  const contents = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]);
  const before = contents();
  const file = untouchedFile(path, temporary);
  using database = openDatabase(file.location, { readOnly: true });
  const rows = database.prepare('SELECT b FROM a').all();
  expect([file.hasChanged(), contents()]).toEqual([false, before]);
  return rows.map(({ b }) => b);
}

test('reads what a killed process has committed, with its index and without', () => {
  const killed = killedWriter();
  expect(rowsOf(killed)).toEqual([1, 2, 3]);
  rmSync(`${killed.path}-shm`);
  expect(rowsOf(killed)).toEqual([1, 2, 3]);
});

test.each([0, 1, 31, WAL_HEADER_BYTES])('reads a file whose write-ahead log was cut to %i bytes', (bytes) => {
  const killed = killedWriter();
  truncateSync(`${killed.path}-wal`, bytes);
  expect(rowsOf(killed)).toEqual([1]);
  rmSync(`${killed.path}-shm`);
  expect(rowsOf(killed)).toEqual([1]);
});

test('says that a file has changed when a process begins to write behind the header', () => {
  const { path, temporary } = killedWriter();
  const wal = readFileSync(`${path}-wal`);
  truncateSync(`${path}-wal`, WAL_HEADER_BYTES);
  const file = untouchedFile(path, temporary);
  expect(file.hasChanged()).toBe(false);
  writeFileSync(`${path}-wal`, wal);
  expect(file.hasChanged()).toBe(true);
});

/** A file in use: its writer, which has committed one row. */
function usedFile() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-untouched-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.sqlite');
  const open = () => new DatabaseSync(path);
  const writer = open();
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE a (b INTEGER); INSERT INTO a VALUES (1)');
  return { path, writer, open, location: untouchedFile(path, folder).location };
}

const rowsAt = (location: string) => {
  using database = openDatabase(location, { readOnly: true });
  return database.prepare('SELECT b FROM a').all();
};

test('reads a file whose last user closes it before SQLite opens it, and one that is used again', () => {
  const { path, writer, open, location } = usedFile();
  const close = () => void (writer.isOpen && writer.close());
  const first = reopenUntouched(location, (at) => {
    close();
    return rowsAt(at);
  });
  expect([first.database, first.hasChanged()]).toEqual([[{ b: 1 }], false]);
  expect(existsSync(`${path}-shm`)).toBe(false);
  expect(() => rowsAt(location)).toThrow(`${path} cannot be opened`);
  using again = open();
  again.exec('INSERT INTO a VALUES (2)');
  const second = reopenUntouched(location, rowsAt);
  expect(second.database).toEqual([{ b: 1 }, { b: 2 }]);
});

test('says that a file has changed when it was written to while it was read as one that no process uses', () => {
  const { writer, open, location } = usedFile();
  writer.close();
  const { hasChanged } = reopenUntouched(location, rowsAt);
  using again = open();
  again.exec('INSERT INTO a VALUES (2)');
  expect(hasChanged()).toBe(false);
  again.exec('PRAGMA wal_checkpoint(TRUNCATE); VACUUM');
  expect(hasChanged()).toBe(true);
});
