import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { someEvents } from '../../../test/contract/events.ts';
import { rootOfLog } from '../../../test/support/integrity/rootOfLog.ts';
import { temporaryFolder } from '../../../test/support/management.ts';
import { LogFileMissing } from '../../dataFolder/requireLogFile.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import { openTileReader } from '../tiles/sqliteTileStore.ts';
import { TreeReader } from '../tiles/tileTree.ts';
import { compareTree, rebuildTree } from './rebuildTree.ts';

const EVENTS = 700;

async function dataFolder() {
  const folder = temporaryFolder();
  const logPath = join(folder, 'log.sqlite');
  const log = await createSqliteEventLog({ path: logPath, node: 'test' });
  onTestFinished(() => log.close());
  await log.append('firewall-a', -1, someEvents(EVENTS));
  return { folder, logPath, log, treePath: join(folder, 'tree.sqlite') };
}

function change(path: string, sql: string): void {
  using database = new DatabaseSync(path);
  database.exec(sql);
}

test('makes the tree of the log whatever is there, and finds no difference in it', async () => {
  const { folder, logPath, treePath } = await dataFolder();
  expect(compareTree({ folder })).toBeUndefined();
  for (const harm of ['', 'DELETE FROM tiles', 'DROP TABLE tree']) {
    if (harm) change(treePath, harm);
    const progress: number[] = [];
    expect(rebuildTree({ folder, onProgress: (done) => progress.push(done) })).toEqual({
      size: EVENTS,
      broken: undefined,
    });
    expect(progress.at(-1)).toBe(EVENTS);
    const tiles = openTileReader(treePath);
    expect(new TreeReader(tiles).root()).toEqual(rootOfLog(logPath));
    tiles.close();
    expect(compareTree({ folder })).toEqual({ size: EVENTS, differences: [] });
  }
  expect(existsSync(join(folder, 'tree.new.sqlite'))).toBe(false);
});

test.each([
  ['an empty file', (path: string) => writeFileSync(path, '')],
  ['a file without tables', (path: string) => change(path, 'PRAGMA journal_mode = WAL')],
  [
    'a tree of another layout',
    (path: string) => change(path, 'CREATE TABLE nodes (hash BLOB); PRAGMA user_version = 9'),
  ],
])('compares nothing with %s, which the service makes at that moment', async (_what, create) => {
  const { folder, treePath } = await dataFolder();
  create(treePath);
  expect(compareTree({ folder })).toBeUndefined();
});

test('names a tree that lacks a table', async () => {
  const { folder, treePath } = await dataFolder();
  rebuildTree({ folder });
  change(treePath, 'DROP TABLE tree');
  expect(compareTree({ folder })).toEqual({ size: 0, differences: ['tree: the file lacks a table'] });
});

test('compares a tree that is behind the log as far as it goes', async () => {
  const { folder, log } = await dataFolder();
  rebuildTree({ folder });
  await log.append('firewall-b', -1, someEvents(300));
  expect(compareTree({ folder })).toEqual({ size: EVENTS, differences: [] });
});

test.each([
  ['UPDATE tiles SET hashes = zeroblob(8192) WHERE level = 0 AND tile = 1', 'tree: tile 1 of level 0 differs'],
  ['UPDATE tiles SET hashes = zeroblob(64) WHERE level = 1', 'tree: tile 0 of level 1 differs'],
  ["UPDATE recent SET entries = replace(entries, 'IpAllowed', 'IpRevoked')", 'tree: the leaf of position 513 is {'],
  ['DELETE FROM tiles WHERE level = 0 AND tile = 0', 'tree: tile 0 of level 0 has 0 hashes'],
  ['DELETE FROM bundles', 'tree: bundle 0 cannot be read'],
])('names what %s changed', async (sql, expected) => {
  const { folder, treePath } = await dataFolder();
  rebuildTree({ folder });
  change(
    treePath,
    sql
      .replace('replace(entries', 'CAST(replace(CAST(entries AS TEXT)')
      .replace("'IpRevoked')", "'IpRevoked') AS BLOB)"),
  );
  expect(compareTree({ folder })?.differences[0]).toContain(expected);
});

test('names an event that was changed, and events that are missing', async () => {
  const { folder, logPath, log } = await dataFolder();
  rebuildTree({ folder });
  await log.close();
  change(logPath, 'UPDATE events SET time = time + 1 WHERE position = 5; DELETE FROM events WHERE position = 601');
  expect(compareTree({ folder })?.differences).toEqual([
    expect.stringMatching(/^tree: the leaf of position 5 is \{.*\} in the live tree, \{.*\} rebuilt$/),
    'tree: tile 0 of level 0 differs from the one that is made from the log',
    expect.stringContaining('is broken at position 602'),
  ]);
  expect(rebuildTree({ folder })).toMatchObject({ size: 600, broken: { position: 602 } });
  change(logPath, 'DELETE FROM events WHERE position > 10');
  expect(compareTree({ folder })?.differences.at(-1)).toContain('ends at position 10');
});

test('refuses a folder without a log', () => {
  const folder = temporaryFolder();
  expect(() => rebuildTree({ folder })).toThrow(LogFileMissing);
  expect(() => compareTree({ folder })).toThrow(LogFileMissing);
});
