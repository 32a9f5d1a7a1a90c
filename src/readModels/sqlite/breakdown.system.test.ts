import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { groupings } from '../../../projections/figures.ts';
import { requestRowOf } from '../../../projections/requestLog.ts';
import { randomMoment, randomRequests } from '../../../test/contract/readModels/randomRequests.ts';
import { randomFilter } from '../../../test/contract/readModels/requestLogPages.ts';
import { seededRandom } from '../../../test/support/random.ts';
import { DAY, earlier, MINUTE, NOW } from '../../../test/support/specification.ts';
import { type Instant, instant, position } from '../../domain/core/brands.ts';
import { INTERVALS, timeSteps, wallClockOf } from '../../management/resources/breakdown/timeSteps.ts';
import type { BreakdownRequest } from '../figuresQueries.ts';
import type { RequestLogFilter } from '../requestLogQueries.ts';
import { atOnce } from '../turns.ts';
import { wantedGroups } from '../wantedGroups.ts';
import { countPairs, countWithoutExcluded } from './breakdown.ts';
import { ColumnFigures } from './columnFigures.ts';
import { FigureTable } from './figureTable.ts';
import { RequestTable } from './requestTable.ts';
import { type Counted, countRows, RowFigures } from './rowFigures.ts';
import { RowSpans } from './rowSpans.ts';
import { StoredFigures } from './storedFigures.ts';

const ZONES = ['UTC', 'Asia/Kolkata', 'America/New_York', 'Australia/Lord_Howe'];
const COUNT = 12_000;
/** So small that there are several blocks of chunks, which have cells. */
const CHUNK = 200;
const ROUNDS = 60;

/** Read models of requests in order, some of which are late by months, so that there are several chunks of columns and a rest. */
function readModels(random: () => number) {
  const database = new DatabaseSync(':memory:');
  const requests = new RequestTable(database);
  const figures = new FigureTable(database, requests, CHUNK);
  const spans = new RowSpans(database);
  const events = randomRequests(COUNT, random).map((event, index) => {
    const isLate = random() < 0.01;
    const requestedAt = isLate ? event.data.requestedAt : earlier((1 - index / COUNT) * 70 * DAY + random() * MINUTE);
    const latencyMs = random() < 0.05 ? 0 : Math.floor(10 ** (1 + random() * 5));
    const firstByteMs = random() < 0.8 ? Math.floor(random() * latencyMs) : null;
    const model = random() < 0.02 ? `invented ${index}` : event.data.model;
    return {
      ...event,
      data: { ...event.data, requestedAt: instant(Math.floor(requestedAt)), latencyMs, firstByteMs, model },
    };
  });
  events.forEach((event, index) => {
    const row = requestRowOf(event as never, position(index + 1));
    figures.add(row, requests.insert(row));
    requests.flush();
    spans.add('requests', row.position, row.requestedAt);
  });
  spans.flush();
  return { database, tables: { requests, figures }, spans };
}

function conditionsOf(random: () => number) {
  const { since: _, until: __, search: ___, ...conditions } = randomFilter(random);
  return conditions;
}

/** One condition: what cells of two fields can say. */
function oneOf(random: () => number): RequestLogFilter {
  for (;;) {
    const [name, values] = Object.entries(conditionsOf(random)).find(([, own]) => own !== undefined) ?? [];
    if (name && name !== 'conversations') return { [name]: values };
  }
}

test('counts the same by columns, by sums and by rows, for any filter, grouping, time zone and moment', {
  timeout: 240_000,
}, () => {
  // Another one each day: few rounds then find in time what many would.
  const seed = Number(process.env.SEED ?? Math.floor(Date.now() / DAY));
  const random = seededRandom(seed);
  const { database, tables, spans } = readModels(random);
  const chunks = database.prepare('SELECT length FROM requestChunks').all();
  expect(chunks.length).toBeGreaterThan(1);
  expect(database.prepare('SELECT COUNT(*) AS count FROM requestPairs').get()?.count).toBeGreaterThan(40);
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  let [byColumns, byPairs, byExcluded, bySums] = [0, 0, 0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const conditions: RequestLogFilter = pick([
      () => ({}),
      () => conditionsOf(random),
      () => conditionsOf(random),
      () => oneOf(random),
    ])();
    const interval = pick(INTERVALS);
    const to = instant(Math.min(NOW + 1, randomMoment(random) + 20 * DAY));
    const from = instant(to - Math.floor(MINUTE + random() * 80 * DAY));
    const clock = wallClockOf(pick(ZONES));
    const edges = clock && timeSteps({ from, to, interval, clock }, 2_500);
    if (!edges) throw new Error('no steps');
    const by = pick(groupings);
    const request: BreakdownRequest = {
      by,
      filter: conditions,
      edges: edges as Instant[],
      maxGroups: pick([3, 1_000]),
      maxGroupsOfSteps: pick([1, 2, 1_000]),
    };
    const asOf = random() < 0.5 ? position(1 + Math.floor(random() * COUNT)) : null;
    const cut = spans.cutAt('requests', asOf, position(COUNT));
    const shown = ({ whole, steps }: Counted) => ({
      whole: new Map(
        [...whole.groups].flatMap(([key, counts]) => (counts.sums.requests > 0 ? [[key, counts.figures()]] : [])),
      ),
      steps: atOnce(steps.packed()),
    });
    const label = JSON.stringify({ seed, ...request, edges: [from, to, interval], asOf });
    const expected = shown(atOnce(countRows(new RowFigures(database, tables, conditions, cut), request)));
    const columns = ColumnFigures.of(database, tables, request, asOf ?? COUNT);
    if (!columns) {
      expect(conditions.conversations ?? conditions.models ?? conditions.modelOptions, label).toBeDefined();
      continue;
    }
    byColumns++;
    expect(shown(atOnce(columns.count(request))), label).toEqual(expected);
    const counted = atOnce(countPairs(database, tables, request, cut, columns));
    if (counted) {
      byPairs++;
      expect(shown(counted), label).toEqual(expected);
    }
    const upTo = asOf ?? position(COUNT);
    const withoutExcluded = atOnce(countWithoutExcluded(database, tables, request, { cut, upTo }, columns));
    if (withoutExcluded) {
      byExcluded++;
      expect(shown(withoutExcluded), label).toEqual(expected);
    }
    const wanted = wantedGroups(request);
    if (wanted === 'rows') continue;
    bySums++;
    expect(shown(atOnce(new StoredFigures(database, tables, request, wanted, cut, columns).count())), label).toEqual(
      expected,
    );
  }
  expect([byColumns > ROUNDS / 3, bySums > 5, byPairs > 5, byExcluded > 5]).toEqual([true, true, true, true]);
});
