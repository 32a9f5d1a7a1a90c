import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { PackedDays } from './packedDays.ts';

const DAY = 86_400_000;
const GROUPING = 3;

/** A table of some groups and days, the latest of which has none of the first group. */
function tableOf(groups: number, days: number) {
  const database = new DatabaseSync(':memory:');
  database.exec(`
    CREATE TABLE figureGroups (id INTEGER PRIMARY KEY, grouping INTEGER, key TEXT);
    CREATE TABLE figureDays (grouping INTEGER, day INTEGER, groupId INTEGER, sums BLOB, PRIMARY KEY (grouping, day, groupId))`);
  const group = database.prepare('INSERT INTO figureGroups VALUES (?, ?, ?)');
  const replace = database.prepare('INSERT OR REPLACE INTO figureDays VALUES (?, ?, ?, ?)');
  const write = (day: number, groupId: number, sums: number[]) =>
    replace.run(GROUPING, day * DAY, groupId, new Uint8Array(sums));
  for (let id = 1; id <= groups; id++) group.run(id, GROUPING, `=${id}`);
  for (let day = 1; day <= days; day++)
    for (let id = day === days ? 2 : 1; id <= groups; id++) write(day, id, [day, id]);
  const rows = (packed: PackedDays, wanted: number[], writes = packed.writes) =>
    [
      ...packed.in(database, {
        grouping: GROUPING,
        days: Array.from({ length: days }, (_, index) => (index + 1) * DAY),
        groups: wanted,
        writes,
      }),
    ].flatMap(([day, groupId, sums]) => (sums.length > 0 ? [[day / DAY, groupId, ...sums]] : []));
  return { write, rows, empty: () => database.exec('DELETE FROM figureDays') };
}

test.each([
  ['few', [1, 2]],
  ['most', [1, 2, 3, 4, 5, 6, 7]],
])('reads days of %s groups once', (_, wanted) => {
  const { rows, empty } = tableOf(9, 3);
  const packed = new PackedDays();
  const expected = [3, 2, 1].flatMap((day) => wanted.filter((id) => day < 3 || id > 1).map((id) => [day, id, day, id]));
  expect(rows(packed, wanted)).toEqual(expected);
  empty();
  expect(rows(packed, wanted)).toEqual(expected);
  packed.clear();
  expect(rows(packed, wanted)).toEqual([]);
});

test('reads a row again that was written, also one that was not there', () => {
  const { rows, write } = tableOf(9, 3);
  const packed = new PackedDays();
  const wanted = [1, 2];
  rows(packed, wanted);
  for (const [day, id] of [
    [3, 1],
    [2, 2],
  ] as const) {
    write(day, id, [7]);
    packed.forget(day * DAY, id);
  }
  expect(rows(packed, wanted)).toEqual([
    [3, 1, 7],
    [3, 2, 3, 2],
    [2, 1, 2, 1],
    [2, 2, 7],
    [1, 1, 1, 1],
    [1, 2, 1, 2],
  ]);
});

test('keeps nothing of a snapshot that is older than the last write', () => {
  const { rows, write } = tableOf(9, 1);
  const packed = new PackedDays();
  const { writes } = packed;
  packed.forget(DAY, 2);
  expect(rows(packed, [2], writes)).toEqual([[1, 2, 1, 2]]);
  write(1, 2, [7]);
  expect(rows(packed, [2])).toEqual([[1, 2, 7]]);
});

test('keeps the latest days where there is no room for all', () => {
  const { rows, empty } = tableOf(9, 5);
  const packed = new PackedDays(4);
  rows(packed, [2]);
  empty();
  expect(rows(packed, [2])).toEqual([
    [5, 2, 5, 2],
    [4, 2, 4, 2],
  ]);
});
