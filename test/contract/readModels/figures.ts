import { describe, expect, test } from 'vitest';
import { GROUPINGS, type Grouping, groupings } from '../../../projections/figures.ts';
import { type RequestLogRow, requestRowOf } from '../../../projections/requestLog.ts';
import { type Instant, instant, type Position, position } from '../../../src/domain/core/brands.ts';
import type { Percentiles } from '../../../src/domain/figures/quantileSketch.ts';
import { INTERVALS, timeSteps, wallClockOf } from '../../../src/management/resources/breakdown/timeSteps.ts';
import { figureSteps } from '../../../src/readModels/figureSteps.ts';
import type { Breakdown, BreakdownRequest, Figures } from '../../../src/readModels/figuresQueries.ts';
import { completed } from '../../support/management.ts';
import { seededRandom } from '../../support/random.ts';
import { DAY, earlier, HOUR, MINUTE, NOW } from '../../support/specification.ts';
import type { ReadModelsFactory, Scaled } from '../readModels.ts';
import { type RequestEvent, randomMoment, randomRequests } from './randomRequests.ts';
import { matches, randomFilter } from './requestLogPages.ts';

const ZONES = ['UTC', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe'];

/** Random requests with random latencies, some of them none. */
function requestsWithTimes(count: number, random: () => number): RequestEvent[] {
  return randomRequests(count, random).map((event) => {
    const latencyMs = random() < 0.05 ? 0 : Math.floor(10 ** (1 + random() * 5));
    const hasByte = 'firstByteMs' in event.data && random() < 0.8;
    const firstByteMs = hasByte ? Math.floor(random() * latencyMs) : null;
    return { ...event, data: { ...event.data, latencyMs, ...('firstByteMs' in event.data && { firstByteMs }) } };
  }) as RequestEvent[];
}

interface Counted {
  readonly sums: Record<keyof Figures['sums'], number>;
  readonly latencies: number[];
  readonly firstBytes: number[];
}

/** Counts rows one by one, without sums or sketches. */
function countOneByOne(rows: readonly RequestLogRow[]): Counted {
  const sum = (of: (row: RequestLogRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const generating = rows.filter((row) => row.firstByteMs !== null && (row.outputTokens ?? 0) > 0);
  const timed = generating.filter((row) => row.latencyMs > (row.firstByteMs ?? 0));
  return {
    sums: {
      requests: rows.length,
      errors: rows.filter(({ status }) => status !== '200').length,
      inputTokens: sum((row) => row.inputTokens ?? 0),
      cachedInputTokens: sum((row) => row.cachedInputTokens ?? 0),
      outputTokens: sum((row) => row.outputTokens ?? 0),
      reasoningTokens: sum((row) => row.reasoningTokens ?? 0),
      costMicroDollars: sum((row) => row.costMicroDollars ?? 0),
      generatedTokens: timed.reduce((total, row) => total + (row.outputTokens ?? 0), 0),
      generatingMs: timed.reduce((total, row) => total + row.latencyMs - (row.firstByteMs ?? 0), 0),
    },
    latencies: rows.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b),
    firstBytes: rows.flatMap(({ firstByteMs }) => firstByteMs ?? []).sort((a, b) => a - b),
  };
}

/** A quantile is within 1 % of the value of its rank, and rounded. */
function expectPercentiles(found: Percentiles | null, values: readonly number[]): void {
  if (values.length === 0) {
    expect(found).toBeNull();
    return;
  }
  for (const [name, quantile] of [
    ['p50', 0.5],
    ['p95', 0.95],
    ['p99', 0.99],
  ] as const) {
    const exact = values[Math.floor(quantile * (values.length - 1))] as number;
    expect(Math.abs((found?.[name] ?? Number.NaN) - exact), `${name} of ${values}`).toBeLessThanOrEqual(
      exact * 0.0101 + 0.5,
    );
  }
}

function expectFigures(found: Figures | undefined, rows: readonly RequestLogRow[]): void {
  const { sums, latencies, firstBytes } = countOneByOne(rows);
  expect(found?.sums).toEqual(sums);
  expectPercentiles(found?.latencyMs ?? null, latencies);
  expectPercentiles(found?.firstByteMs ?? null, firstBytes);
}

function expectCounts(found: Breakdown, request: BreakdownRequest, rows: readonly RequestLogRow[]): void {
  const { by, edges, maxGroupsOfSteps = request.maxGroups } = request;
  const [from, to] = [edges[0] as number, edges.at(-1) as number];
  const within = (start: number, end: number) =>
    rows.filter(({ requestedAt }) => requestedAt >= start && requestedAt < end);
  const grouped = (some: readonly RequestLogRow[]) => Map.groupBy(some, (row) => row[GROUPINGS[by]] as string | null);
  const whole = grouped(within(from, to));
  expect(new Set(found.groups.map(({ id }) => id))).toEqual(new Set(whole.keys()));
  for (const group of found.groups) expectFigures(group, whole.get(group.id) ?? []);
  expectFigures(found.total, within(from, to));
  const steps = [...figureSteps(found.steps, edges)];
  expect(steps.map(({ at }) => at)).toEqual(edges.slice(0, -1));
  steps.forEach((step, index) => {
    const own = within(edges[index] as number, edges[index + 1] as number);
    expectFigures(step.total, own);
    const largest = new Set(found.groups.slice(0, maxGroupsOfSteps).map(({ id }) => id));
    const shown = Map.groupBy(own, (row) => {
      const id = row[GROUPINGS[by]] as string | null;
      return largest.has(id) ? id : 'the rest';
    });
    const groups = [...shown].map(([id, some]) => [id, countOneByOne(some).sums] as const);
    expect(new Map(step.groups.map(({ id, isRest, sums }) => [isRest ? 'the rest' : id, sums]))).toEqual(
      new Map(groups),
    );
  });
}

export function figures(createReadModels: ReadModelsFactory, scaled: Scaled): void {
  describe('figures', () => {
    test('equal a count over the request log, for any filter, time zone and moment', { timeout: 120_000 }, async () => {
      await using store = await createReadModels();
      const random = seededRandom(31);
      const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
      const events = requestsWithTimes(scaled(600), random);
      const heads: Position[] = [];
      for (let start = 0; start < events.length; start += 100)
        heads.push(await store.append(...events.slice(start, start + 100)));
      const head = heads.at(-1) as Position;
      const positionOf = (index: number) => position(head - events.length + index + 1);
      for (let round = 0; round < scaled(80); round++) {
        const { since: _, until: __, ...conditions } = random() < 0.4 ? {} : randomFilter(random);
        const interval = pick(INTERVALS);
        const longest = interval === 'hour' ? 3 * DAY : 90 * DAY;
        const to = random() < 0.3 ? instant(NOW + 1) : instant(Math.min(NOW, randomMoment(random) + 10 * DAY));
        const from = instant(to - Math.floor(MINUTE + random() * longest));
        const clock = wallClockOf(pick(ZONES));
        const edges = clock && timeSteps({ from, to, interval, clock }, 1_000);
        if (!edges) throw new Error('no steps');
        const maxGroupsOfSteps = pick([1, 2, 1_000]);
        const request = { by: pick(groupings), filter: conditions, edges, maxGroups: 1_000, maxGroupsOfSteps };
        const at = random() < 0.5 ? head : positionOf(Math.floor(random() * events.length));
        const found = await store.figures.breakdown(request, at === head ? head : { exactly: at });
        const included = events.filter((event, index) => positionOf(index) <= at && matches(event, conditions));
        expect(found.position, JSON.stringify(request)).toBe(at);
        expectCounts(
          found,
          request,
          included.map((event) => requestRowOf(event as never, head)),
        );
      }
    });

    test('the filter of a grouping by its own values uses sums, and returns the same', async () => {
      await using store = await createReadModels();
      const events = requestsWithTimes(scaled(200), seededRandom(32));
      const head = await store.append(...events);
      const edges = [earlier(100 * DAY), earlier(10 * DAY), instant(NOW + 1)];
      for (const [by, filter] of [
        ['status', { statuses: ['429', 'error'] }],
        ['account', { accountIds: ['a', 'nothing'] }],
        ['owner', { owners: [null, 'Ada'] }],
        ['key', { apiKeyIds: [] }],
      ] as const) {
        const request: BreakdownRequest = { by, filter, edges, maxGroups: 10 };
        const rows = events
          .filter((event) => matches(event, filter))
          .map((event) => requestRowOf(event as never, head));
        expectCounts(await store.figures.breakdown(request, head), request, rows);
      }
    });

    test('groups beyond the largest ones are one, so that the sums hold', async () => {
      await using store = await createReadModels();
      const times = (count: number, model: string) => Array.from({ length: count }, () => completed({ model }));
      const head = await store.append(...times(3, 'a'), ...times(2, 'b'), ...times(1, 'c'), ...times(1, 'd'));
      const edges = [earlier(HOUR), instant(NOW + 1)];
      const request: BreakdownRequest = { by: 'model', filter: {}, edges, maxGroups: 2 };
      const { groups, steps, total } = await store.figures.breakdown(request, head);
      const expected = [
        ['a', false, 3],
        ['b', false, 2],
        ['other', true, 2],
      ];
      expect(groups.map(({ id, isRest, sums }) => [id, isRest, sums.requests])).toEqual(expected);
      expect(
        [...figureSteps(steps, edges)][0]?.groups.map(({ id, isRest, sums }) => [id, isRest, sums.requests]),
      ).toEqual(expected);
      expect([total.sums.requests, total.latencyMs?.p50, total.firstByteMs?.p50]).toEqual([7, 1_200, 302]);
    });

    test('of names that clients choose, the first thousand of a month are groups', { timeout: 240_000 }, async () => {
      await using store = await createReadModels();
      const invented = Array.from({ length: 1_010 }, (_, index) => completed({ client: { name: `client ${index}` } }));
      const head = await store.append(...invented, completed({ client: { name: 'client 7' } }));
      const breakdown = async (edges: Instant[]) => {
        const found = await store.figures.breakdown({ by: 'client', filter: {}, edges, maxGroups: 5_000 }, head);
        return [
          found.groups.length,
          found.groups[0]?.id,
          found.groups.at(-1)?.isRest,
          found.groups.at(-1)?.sums.requests,
        ];
      };
      // From sums, and from the rows of a part of a quarter of an hour.
      expect(await breakdown([earlier(DAY), instant(NOW + DAY)])).toEqual([1_001, 'client 7', true, 10]);
      expect(await breakdown([NOW, instant(NOW + 1)])).toEqual([1_001, 'client 7', true, 10]);
    });

    test('nothing has no percentiles', async () => {
      await using store = await createReadModels();
      const head = await store.append(completed({ firstByteMs: null }));
      const breakdown = (by: Grouping, edges: Instant[]) =>
        store.figures.breakdown({ by, filter: {}, edges, maxGroups: 10 }, head);
      const { total, groups } = await breakdown('key', [earlier(2 * HOUR), earlier(HOUR)]);
      expect([total.sums.requests, total.latencyMs, total.firstByteMs, groups]).toEqual([0, null, null, []]);
      const { groups: some } = await breakdown('key', [earlier(HOUR), instant(NOW + 1)]);
      expect(some).toMatchObject([{ id: null, firstByteMs: null, latencyMs: { p50: expect.any(Number) } }]);
    });
  });
}
