import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { requestRowOf } from '../../../projections/requestLog.ts';
import { newestFirst, randomMoment, randomRequests } from '../../../test/contract/readModels/randomRequests.ts';
import { matches, randomFilter } from '../../../test/contract/readModels/requestLogPages.ts';
import { seededRandom } from '../../../test/support/random.ts';
import { DAY } from '../../../test/support/specification.ts';
import { instant, position } from '../../domain/core/brands.ts';
import { pageConditions, positionsByColumns } from './columnPages.ts';
import { FigureTable } from './figureTable.ts';
import { RequestTable } from './requestTable.ts';

const COUNT = 800;

test('finds the rows of any page of any filter, time range and moment, in the order of the request log', () => {
  const random = seededRandom(23);
  const database = new DatabaseSync(':memory:');
  const requests = new RequestTable(database);
  const figures = new FigureTable(database, requests, 60);
  const events = randomRequests(COUNT, random);
  const positions = new Map(events.map((event, index) => [event, index + 1]));
  database.exec('BEGIN');
  for (const [event, at] of positions) {
    const row = requestRowOf(event as never, position(at));
    figures.add(row, requests.insert(row));
  }
  requests.flush();
  database.exec('COMMIT');
  let pages = 0;
  for (let round = 0; round < 150; round++) {
    const { since: _, until: __, search: ___, conversations: ____, ...filter } = randomFilter(random);
    const from = instant(randomMoment(random) - Math.floor(random() * DAY));
    const to = instant(from + Math.floor(random() * 3 * DAY));
    const upTo = Math.floor(random() * 2 * COUNT);
    const expected = newestFirst(events)
      .filter((event) => matches(event, { ...filter, since: from, until: instant(to - 1) }))
      .map((event) => positions.get(event) as number)
      .filter((at) => at <= upTo);
    if (expected.length === 0) continue;
    const [offset, limit] = [Math.floor(random() * expected.length), Math.ceil(random() * expected.length)];
    const range = { from, to, count: expected.length };
    const found = positionsByColumns(
      { requests, figures },
      pageConditions(database, { requests }, filter, upTo),
      range,
      upTo,
      limit,
      offset,
      0,
    );
    if (!found) continue;
    pages++;
    expect(found, JSON.stringify({ ...filter, from, to, upTo, limit, offset })).toEqual(
      expected.slice(offset, offset + limit),
    );
  }
  expect(pages).toBeGreaterThan(30);
});

test('leaves a page of the first of many rows, and what columns do not have, to the indexes', () => {
  const database = new DatabaseSync(':memory:');
  const requests = new RequestTable(database);
  const figures = new FigureTable(database, requests);
  const range = { from: instant(0), to: instant(10 * DAY), count: 1_000 };
  const find = (filter: object, limit: number) =>
    positionsByColumns({ requests, figures }, pageConditions(database, { requests }, filter, 9), range, 9, limit, 0, 0);
  expect(find({ statuses: ['200'] }, 50)).toBeUndefined();
  expect(find({ statuses: ['200'] }, 200)).toEqual([]);
  expect(find({ conversations: ['c'] }, 200)).toBeUndefined();
});
