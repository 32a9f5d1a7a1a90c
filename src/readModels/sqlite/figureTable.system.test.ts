import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { FigureRow, Grouping } from '../../../projections/figures.ts';
import { requestRowOf } from '../../../projections/requestLog.ts';
import { randomRequests } from '../../../test/contract/readModels/randomRequests.ts';
import { seededRandom } from '../../../test/support/random.ts';
import { NOW } from '../../../test/support/specification.ts';
import { instant, position } from '../../domain/core/brands.ts';
import { eventTypes } from '../../domain/eventTypes.ts';
import { decodeRollUps, RollUpCollector } from '../archivedRollUps.ts';
import { GroupedCounts } from '../figureCounts.ts';
import { FigureTable } from './figureTable.ts';
import { RequestTable } from './requestTable.ts';

/** A table whose requests get their ids from dictionaries. */
function figureTable(database: DatabaseSync) {
  const requests = new RequestTable(database);
  const table = new FigureTable(database, requests);
  const idsOf = (row: FigureRow) => ({
    kindId: requests.kinds.idOf(row),
    sourceId: requests.sources.idOf(row),
    clientId: null,
  });
  return {
    add: (at: number, row: FigureRow) => table.add({ attempts: 1, ...row, position: position(at) }, idsOf(row)),
    addPending: (into: GroupedCounts, by: Grouping, from: number, to: number) =>
      table.forEachPending(by, (quarter, key, counts) => {
        if (quarter >= from && quarter < to) into.of(key).merge(counts);
      }),
    writeArchived: table.writeArchived.bind(table),
    resume: (rowsAfter: (position: number) => readonly FigureRow[]) =>
      table.resume((after) =>
        rowsAfter(after).map((row, index) => ({
          ...row,
          ...idsOf(row),
          attempts: 1,
          position: position(after + index + 1),
        })),
      ),
  };
}

const START = Date.UTC(2026, 10, 1);
const QUARTER = 900_000;

const rowAt = (at: number, changes: Partial<FigureRow>): FigureRow => ({
  requestedAt: instant(at),
  apiKeyId: 'key',
  owner: null,
  team: null,
  accountId: 'a',
  model: 'gpt-5',
  effort: null,
  status: '200',
  errorCode: null,
  client: null,
  transport: 'http',
  inputTokens: 1,
  cachedInputTokens: 0,
  outputTokens: 2,
  reasoningTokens: 0,
  costMicroDollars: 3,
  latencyMs: 100,
  firstByteMs: 10,
  ...changes,
});

const COUNT = 100_000;
const MAX_GROUPS = 1_000;

test('100,000 invented models, clients and error codes make no more than a thousand groups each a month', {
  timeout: 120_000,
}, () => {
  const database = new DatabaseSync(':memory:');
  const table = figureTable(database);
  for (let position = 1; position <= COUNT; position++) {
    const name = `invented ${position}`;
    const at = START + (position % 8) * QUARTER;
    table.add(position, rowAt(at, { model: name, client: name, effort: name, errorCode: name, status: 'error' }));
  }
  // One request more than fits into memory writes the rest.
  table.add(COUNT + 1, rowAt(START + 40 * QUARTER, {}));
  const count = (sql: string) => database.prepare(`SELECT COUNT(*) AS count ${sql}`).get()?.count as number;
  // Six groupings with one or two groups, four with the bound and the rest.
  expect(count('FROM figureGroups')).toBeLessThanOrEqual(4 * (MAX_GROUPS + 2) + 6 * 2);
  expect(count('FROM figureNames')).toBe(4 * MAX_GROUPS);
  const [quarters, longer] = [8 + 1, 3 + 1 + 1];
  expect(count('FROM figures')).toBeLessThan(
    (quarters + longer) * 6 * 2 + 4 * (MAX_GROUPS * 4 + (quarters + longer) * 2),
  );
});

test('a group of its own for new names in the next month, and sums that hold', () => {
  const database = new DatabaseSync(':memory:');
  const table = figureTable(database);
  for (let position = 1; position <= 1_500; position++) table.add(position, rowAt(START, { model: `m${position}` }));
  const december = Date.UTC(2026, 11, 1);
  table.add(1_501, rowAt(december, { model: 'm1500' }));
  const groups = (from: number) => {
    const counts = new GroupedCounts();
    table.addPending(counts, 'model', from, from + QUARTER);
    return [...counts.groups].map(([key, { sums }]) => [key, sums.requests] as const);
  };
  expect(groups(START)).toHaveLength(MAX_GROUPS + 1);
  expect(groups(START).at(-1)).toEqual(['rest', 500]);
  expect(groups(december)).toEqual([['=m1500', 1]]);
});

test('adds late requests to what is written, once in each period', () => {
  const database = new DatabaseSync(':memory:');
  const table = figureTable(database);
  for (let position = 1; position <= 100; position++) table.add(position, rowAt(START + (position % 50) * QUARTER, {}));
  const sum = (period: number) =>
    database.prepare('SELECT SUM(requests) AS sum FROM figures WHERE grouping = 0 AND period = ?').get(period)?.sum;
  expect([1, 2, 3, 4].map(sum)).toEqual([96, 96, 96, 96]);
});

test('reads what is not written yet from the request log again after a start', () => {
  const database = new DatabaseSync(':memory:');
  const rows = Array.from({ length: 30 }, (_, index) => rowAt(START + index * QUARTER, { model: `m${index}` }));
  const table = figureTable(database);
  rows.forEach((row, index) => {
    table.add(index + 1, row);
  });
  const written = database.prepare('SELECT SUM(requests) AS requests FROM figures WHERE grouping = 0 AND period = 1');
  expect(written.get()?.requests).toBe(24);
  const again = figureTable(database);
  again.resume((after) => rows.slice(after));
  const pending = new GroupedCounts();
  again.addPending(pending, 'key', START, START + 30 * QUARTER);
  expect(pending.total().sums.requests).toBe(6);
});

test('has the same sums and sketches of archived days as of their rows', { timeout: 60_000 }, () => {
  const random = seededRandom(5);
  const events = randomRequests(2_000, random);
  const collector = new RollUpCollector();
  const [rows, archived] = [new DatabaseSync(':memory:'), new DatabaseSync(':memory:')];
  const table = figureTable(rows);
  events.forEach(({ type, data }, index) => {
    const version = eventTypes.get(type)?.version ?? 0;
    collector.add({ position: index + 1, time: NOW, type, version, data: JSON.stringify(data) });
    table.add(index + 1, requestRowOf({ type, data } as never, position(index + 1)));
  });
  // More quarters of an hour than fit into memory: everything before them is written.
  for (let index = 1; index <= 25; index++)
    table.add(events.length + index, rowAt(Date.UTC(2001, 0) + index * QUARTER, {}));
  figureTable(archived).writeArchived(decodeRollUps(collector.encode()));
  const figuresOf = (database: DatabaseSync) =>
    database
      .prepare(
        `SELECT figureGroups.grouping, key, period, start, requests, errors, inputTokens, costMicroDollars, generatingMs,
         hex(latency) AS latency, hex(firstByte) AS firstByte
         FROM figures JOIN figureGroups ON figureGroups.id = groupId WHERE start >= ?
         ORDER BY figureGroups.grouping, key, period, start`,
      )
      .all(Date.UTC(2002, 0));
  expect(figuresOf(archived).length).toBeGreaterThan(1_000);
  expect(figuresOf(archived)).toEqual(figuresOf(rows));
  const daysOf = (database: DatabaseSync) =>
    database
      .prepare(
        `SELECT figureGroups.grouping, key, day, hex(sums) AS sums FROM figureDays JOIN figureGroups ON figureGroups.id = groupId
         WHERE day >= ? ORDER BY figureGroups.grouping, key, day`,
      )
      .all(Date.UTC(2002, 0));
  expect(daysOf(archived).length).toBeGreaterThan(100);
  expect(daysOf(archived)).toEqual(daysOf(rows));
});
