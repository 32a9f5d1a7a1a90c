import {
  copyFileSync,
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
import { untouchedFile } from './untouchedFile.ts';

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
