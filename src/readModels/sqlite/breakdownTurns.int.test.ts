import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { requestRowOf } from '../../../projections/requestLog.ts';
import { randomRequests } from '../../../test/contract/readModels/randomRequests.ts';
import { seededRandom } from '../../../test/support/random.ts';
import { DAY, earlier, NOW } from '../../../test/support/specification.ts';
import { instant, type Position, position } from '../../domain/core/brands.ts';
import type { BreakdownRequest } from '../figuresQueries.ts';
import { atOnce } from '../turns.ts';
import { wantedGroups } from '../wantedGroups.ts';
import { countPairs, countWithoutExcluded } from './breakdown.ts';
import { ColumnFigures } from './columnFigures.ts';
import { FigureTable } from './figureTable.ts';
import { inTransaction } from './inTransaction.ts';
import { openForReading, openReadModelFile } from './readModelFile.ts';
import { RequestTable } from './requestTable.ts';
import type { Counted } from './rowFigures.ts';
import { countRows, RowFigures } from './rowFigures.ts';
import { StoredFigures } from './storedFigures.ts';

const FIRST = 1_500;
const COUNT = 2_300;
/** Requests are written every some dozen: of short chunks there are two blocks, and long ones grow. */
const DAYS = 12;
const CHUNKS = { short: 40, long: 1_000 };

/** Read models of a file whose next requests can be added, and a connection that reads. */
function readModels(chunkLength: number) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
  const path = join(folder, 'readmodels.sqlite');
  const database = openReadModelFile(path);
  const requests = new RequestTable(database);
  const figures = new FigureTable(database, requests, chunkLength);
  const random = seededRandom(11);
  const rows = randomRequests(COUNT, random).map((event, index) => {
    const requestedAt = instant(Math.floor(earlier((1 - index / COUNT) * DAYS * DAY)));
    return requestRowOf({ ...event, data: { ...event.data, requestedAt } } as never, position(index + 1));
  });
  let added = 0;
  const add = (count: number) =>
    inTransaction(database, () => {
      for (const row of rows.slice(added, added + count)) figures.add(row, requests.insert(row));
      requests.flush();
      added = Math.min(COUNT, added + count);
    });
  add(FIRST);
  const reading = openForReading(path);
  onTestFinished(() => {
    reading.close();
    database.close();
    rmSync(folder, { recursive: true });
  });
  /** Those that were tried before another one, the most often tried first. */
  const attemptedAccounts = (): string[] =>
    database
      .prepare('SELECT accountId FROM otherAttempts GROUP BY 1 ORDER BY COUNT(*) DESC')
      .all()
      .map(({ accountId }) => accountId as string);
  return { tables: { requests, figures }, reading, add, addedUpTo: () => position(added), attemptedAccounts };
}

test.each(Object.entries(CHUNKS))(
  'counts what there was when it began, while requests are added between its turns, with %s chunks',
  (_, length) => {
    const { tables, reading, add, addedUpTo, attemptedAccounts } = readModels(length);
    const edges = Array.from({ length: DAYS + 2 }, (_, day) => instant(NOW - (DAYS + 1 - day) * DAY + 1));
    const ways: [string, BreakdownRequest['filter']][] = [
      ['columns', { statuses: ['200'], efforts: ['high', null, 'low'] }],
      ['columns', { attemptedAccountIds: attemptedAccounts().slice(0, 2) }],
      ['stored', {}],
      ['pairs', { statuses: ['200'] }],
      ['without excluded', { statuses: ['200'] }],
      ['rows', {}],
    ];
    const counted: string[] = [];
    const countFailed = (upTo: Position) => {
      const request: BreakdownRequest = { by: 'model', filter: { statuses: ['502', 'error'] }, edges, maxGroups: 10 };
      atOnce((ColumnFigures.of(reading, tables, request, upTo) as ColumnFigures).count(request));
    };
    for (const [way, filter] of ways) {
      const request: BreakdownRequest = { by: 'account', filter, edges, maxGroups: 1_000 };
      const count = () => {
        const upTo = addedUpTo();
        const columns = ColumnFigures.of(reading, tables, request, upTo) as ColumnFigures;
        if (way === 'without excluded')
          return countWithoutExcluded(reading, tables, request, { cut: undefined, upTo }, columns);
        if (way === 'rows') return countRows(new RowFigures(reading, tables, filter, undefined), request);
        if (way === 'columns') return columns.count(request);
        if (way === 'pairs') return countPairs(reading, tables, request, undefined, columns);
        const wanted = wantedGroups(request) as undefined;
        return new StoredFigures(reading, tables, request, wanted, undefined, columns).count();
      };
      const shown = (found: Counted | undefined) =>
        found && {
          groups: new Map(
            [...found.whole.groups].flatMap(([key, counts]) =>
              counts.sums.requests > 0 ? [[key, counts.figures()]] : [],
            ),
          ),
          steps: atOnce(found.steps.packed()),
        };
      reading.exec('BEGIN; SELECT 1 FROM progress');
      const expected = shown(atOnce(countRows(new RowFigures(reading, tables, filter, undefined), request)));
      const turns = count();
      let next = turns.next();
      for (let turn = 0; !next.done; next = turns.next()) {
        if (turn % 10 === 0) add(60);
        // Another query reads other requests of the same columns.
        if (turn++ % 8 === 0) countFailed(addedUpTo());
      }
      reading.exec('ROLLBACK');
      if (next.value) counted.push(way);
      expect(shown(next.value), way).toEqual(expected);
    }
    expect(new Set(counted)).toEqual(new Set(ways.map(([way]) => way)));
    expect(addedUpTo()).toBeGreaterThan(FIRST + 100);
  },
);
