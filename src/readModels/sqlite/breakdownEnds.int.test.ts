import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { archivedFigureOf, figureOf, GROUPINGS, groupings } from '../../../projections/figures.ts';
import { type RequestLogRow, requestRowOf } from '../../../projections/requestLog.ts';
import { completed } from '../../../test/support/management.ts';
import { instant, position } from '../../domain/core/brands.ts';
import { atOnce } from '../turns.ts';
import { breakdown } from './breakdown.ts';
import { FigureTable } from './figureTable.ts';
import { RequestTable } from './requestTable.ts';

const MINUTE = 60_000;
const QUARTER = Date.UTC(2026, 9, 31, 23, 45);

const rowAt = (at: number): RequestLogRow =>
  requestRowOf(completed({ requestedAt: instant(at) }) as never, position(1));

/** What archived segments keep of requests of the quarter of an hour. */
const archivedOf = (row: RequestLogRow) =>
  groupings.map((by) => ({
    rollUp: 'figures',
    start: instant(QUARTER),
    group: { by, id: row[GROUPINGS[by]], rest: null },
    sums: archivedFigureOf(figureOf(row)),
  }));

test('a range that ends within a quarter of an hour has no archived requests after its end', () => {
  const database = new DatabaseSync(':memory:');
  const requests = new RequestTable(database);
  const figures = new FigureTable(database, requests);
  figures.writeArchived(archivedOf(rowAt(QUARTER + 10 * MINUTE)));
  // It ended on the next day, which is not archived, and is the last one.
  const row = rowAt(QUARTER + 5 * MINUTE);
  figures.add(row, requests.insert(row));
  requests.flush();
  const countUntil = (end: number) => {
    const edges = [instant(QUARTER - 60 * MINUTE), instant(end)];
    const request = { by: 'status', filter: {}, edges, maxGroups: 10 } as const;
    return atOnce(breakdown(database, { requests, figures }, request, position(1), undefined, false)).total.sums
      .requests;
  };
  expect(countUntil(QUARTER + 6 * MINUTE)).toBe(1);
  expect(countUntil(QUARTER + 15 * MINUTE)).toBe(2);
});
