import { describe, expect, test } from 'vitest';
import { AccountUsageObserved } from '../../../src/domain/accountUsage/events.ts';
import type { ApiKeyId, Instant, Position } from '../../../src/domain/core/brands.ts';
import { RefusalsCounted } from '../../../src/domain/request/events.ts';
import type { RequestLogFilter } from '../../../src/readModels/requestLogQueries.ts';
import type { UpTo } from '../../../src/readModels/upTo.ts';
import { seededRandom } from '../../support/random.ts';
import { DAY, earlier, HOUR, later, MINUTE, NOW, usageSample, usageWindow } from '../../support/specification.ts';
import type { ReadModelsFactory, ReadModelsUnderTest, Scaled } from '../readModels.ts';
import type { TestEvent } from './appending.ts';
import { accounts, randomRequests } from './randomRequests.ts';

const keyId = '11111111-1111-4111-8111-111111111111' as ApiKeyId;

/** Requests in the order of their ends, which is about that of their arrival; refusals and samples among them. */
function eventsInOrder(count: number, random: () => number): TestEvent[] {
  const stepMs = (3 * DAY) / count;
  return randomRequests(count, random).map((event, index): TestEvent => {
    const time = later(Math.floor(index * stepMs)) as Instant;
    if (index % 11 === 3) {
      const minute = (time - (time % MINUTE) - MINUTE) as Instant;
      return { ...RefusalsCounted({ keyId, address: null, minute, counts: { no_accounts: 1 + (index % 4) } }), time };
    }
    if (index % 7 === 5) {
      const accountId = accounts[index % 3] as (typeof accounts)[number];
      const sample = usageSample(usageWindow(index % 100), index % 2 === 0 ? null : usageWindow(index % 90));
      return { ...AccountUsageObserved({ accountId, ...sample }), time };
    }
    const lasted = random() < 0.05 ? random() * 3 * HOUR : random() * 2 * MINUTE;
    const requestedAt = Math.floor(time - lasted) as Instant;
    return { ...event, data: { ...event.data, requestedAt }, time } as TestEvent;
  });
}

/** A store that scans all documents for each query. */
const SLOW = { timeout: 240_000 };

/** One by one: a slow store would abort queries that wait for one another. */
async function inTurn<Result>(queries: readonly (() => Promise<Result>)[]): Promise<Result[]> {
  const results: Result[] = [];
  for (const query of queries) results.push(await query());
  return results;
}

/** What the queries of all ports return. */
async function answers(store: ReadModelsUnderTest, upTo: UpTo, now: Instant) {
  const since = (now - 26 * HOUR - 12_345) as Instant;
  const day = (now - (now % DAY)) as Instant;
  const filters: RequestLogFilter[] = [
    {},
    { since },
    { since, until: (now - HOUR) as Instant },
    { accountIds: ['a', 'b'] },
    { statuses: ['error'] },
    { statuses: ['429', 'error'], since },
    { attemptedAccountIds: ['a'] },
    { attemptedAccountIds: ['a', 'b'], since },
    { attemptedAccountIds: ['c'], models: ['gpt-5'] },
    { search: 'broke 3' },
    { search: 'req_1', accountIds: ['a'] },
  ];
  const pages = filters.flatMap((filter) => [
    () => store.requestLog.page(filter, 10, 0, upTo),
    () => store.requestLog.page(filter, 7, 20, upTo),
  ]);
  return {
    pages: await inTurn(pages),
    options: await inTurn(filters.slice(0, 9).map((filter) => () => store.requestLog.options(filter, upTo))),
    models: await store.requestLog.models(upTo),
    totals: await Promise.all(
      [since, day, 0 as Instant, (now - 30_001) as Instant].map((from) => store.requestTotals.since(from, upTo)),
    ),
    steps: await Promise.all(
      [MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, DAY].map((stepMs) =>
        store.requestTotals.steps((day - 2 * DAY) as Instant, stepMs, upTo),
      ),
    ),
    usage: await Promise.all([store.usageTrends.since(since, upTo), store.usageTrends.since(day, upTo)]),
    hours: await Promise.all(
      ['a', 'b', 'c'].flatMap((id) => [
        store.usageTrends.ofAccount(id, day, upTo),
        store.usageTrends.ofAccount(id, (now - (now % HOUR) - 3 * HOUR) as Instant, upTo),
      ]),
    ),
    history: await Promise.all([
      store.history.page({}, null, 10, upTo),
      store.history.page({ types: ['RefusalsCounted'] }, null, 5, upTo),
      store.history.page({ search: 'broke' }, null, 5, upTo),
    ]),
  };
}

async function expectSameAnswers(store: ReadModelsUnderTest, events: readonly TestEvent[], chunks: number) {
  const then: { at: Position; now: Instant; shown: unknown }[] = [];
  const size = Math.ceil(events.length / chunks);
  for (let start = 0; start < events.length; start += size) {
    const chunk = events.slice(start, start + size);
    const at = await store.append(...chunk);
    const now = chunk.at(-1)?.time ?? NOW;
    then.push({ at, now, shown: await answers(store, at, now) });
  }
  expect(then.length).toBeGreaterThan(2);
  for (const { at, now, shown } of then.toReversed()) {
    expect(await answers(store, { exactly: at }, now), `as of ${at}`).toEqual(shown);
  }
}

/** Every query returns as of a position what it returned there. */
export function pastMoments(createReadModels: ReadModelsFactory, scaled: Scaled): void {
  describe('past moments', () => {
    test('every query returns as of a position what it returned when the log ended there', SLOW, async () => {
      await using store = await createReadModels();
      const random = seededRandom(21);
      await expectSameAnswers(store, eventsInOrder(scaled(2_400), random), Math.max(3, scaled(9)));
    });

    test('also when requests of all times are recorded in any order, as with clocks that jump', SLOW, async () => {
      await using store = await createReadModels();
      const random = seededRandom(22);
      const jumps = [later(0), earlier(2 * DAY), later(HOUR), earlier(DAY)];
      const events = randomRequests(scaled(600), random).map(
        (event, index): TestEvent => ({ ...event, time: jumps[Math.floor(index / scaled(150))] ?? NOW }),
      );
      await expectSameAnswers(store, events, Math.max(3, scaled(6)));
    });

    test('a position before the first request has none', async () => {
      await using store = await createReadModels();
      await store.append(...eventsInOrder(50, seededRandom(23)));
      const none = { exactly: 0 as Position };
      expect(await store.requestLog.page({}, 10, 0, none)).toMatchObject({ rows: [], total: 0 });
      expect(await store.requestTotals.since(0 as Instant, none)).toMatchObject({ requests: 0, byErrorCode: {} });
      expect(await store.requestLog.models(none)).toEqual([]);
      expect(await store.usageTrends.since(0 as Instant, none)).toEqual([]);
      expect(await store.history.page({}, null, 10, none)).toMatchObject({ entries: [], before: null });
    });
  });
}
