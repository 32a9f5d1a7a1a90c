import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { later, MINUTE, NOW } from '../../../test/support/specification.ts';
import { SelectedRows } from './selectedRows.ts';

/** A log with the columns that a selection reads, one event a minute. @param jumps minutes by which the clock jumps, by position */
function logOf(count: number, jumps: Readonly<Record<number, number>>): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE events (position INTEGER PRIMARY KEY, type TEXT, time INTEGER, data TEXT)');
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?)');
  let time: number = NOW;
  for (let position = 1; position <= count; position += 1, time += MINUTE) {
    const jump = jumps[position];
    if (jump === undefined) {
      insert.run(position, 'IpAllowed', time, '{}');
      continue;
    }
    time += jump * MINUTE;
    insert.run(position, 'ClockJumped', time, JSON.stringify({ node: 'n', from: NOW, to: time }));
  }
  return database;
}

const periodOf = (database: DatabaseSync, from?: number, to?: number) =>
  new SelectedRows(database, {
    ...(from !== undefined && { since: later(from * MINUTE) }),
    ...(to !== undefined && { until: later(to * MINUTE) }),
  }).period();

test('a period has the events from its first to its last moment', () => {
  using database = logOf(100, {});
  expect(periodOf(database)).toEqual({ first: 1, last: 100 });
  expect(periodOf(database, 10, 20)).toEqual({ first: 11, last: 21 });
  expect(periodOf(database, undefined, -1)).toEqual({ first: 1, last: 0 });
  expect(periodOf(database, 1_000)).toEqual({ first: 101, last: 100 });
});

test('a period has what was written in it, also after the clock jumped two days ahead and back', () => {
  // Positions 101 to 200 have times two days ahead; position 201 has the time of minute 200 again.
  using database = logOf(300, { 101: 2_880, 201: -2_880 });
  expect(periodOf(database, undefined, 299)).toEqual({ first: 1, last: 300 });
  expect(periodOf(database, 250, 260)).toEqual({ first: 251, last: 261 });
  expect(periodOf(database, 50, 60)).toEqual({ first: 51, last: 61 });
});
