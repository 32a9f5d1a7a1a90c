import { describe, expect, test } from 'vitest';
import type { ApiKeyId } from '../../../src/domain/core/brands.ts';
import { RefusalsCounted } from '../../../src/domain/request/events.ts';
import { seededRandom } from '../../support/random.ts';
import { DAY, earlier, HOUR, MINUTE, NOW } from '../../support/specification.ts';
import type { ReadModelsFactory, Scaled } from '../readModels.ts';
import { type RequestEvent, randomMoment, randomRequests } from './randomRequests.ts';

const keyId = '11111111-1111-4111-8111-111111111111' as ApiKeyId;
const nothing = {
  requests: 0,
  errors: 0,
  unlogged: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  costMicroDollars: 0,
  latencyMs: 0,
};

export function requestTotals(createReadModels: ReadModelsFactory, scaled: Scaled): void {
  describe('totals of requests', () => {
    test('all sums are zero without requests', async () => {
      await using store = await createReadModels();
      expect(await store.requestTotals.since(NOW, await store.append())).toEqual({ ...nothing, byErrorCode: {} });
    });

    test('sums cover the requests that arrived at any given moment or later', async () => {
      await using store = await createReadModels();
      const random = seededRandom(4);
      const events = randomRequests(scaled(500), random);
      const head = await store.append(...events);
      for (let round = 0; round < scaled(40); round++) {
        const since = randomMoment(random);
        const expected = sumsOf(events.filter(({ data }) => data.requestedAt >= since));
        expect(await store.requestTotals.since(since, head)).toEqual(expected);
      }
    });

    test('steps of any length contain the requests that arrived in them; empty ones are omitted', async () => {
      await using store = await createReadModels();
      const random = seededRandom(7);
      const events = randomRequests(scaled(500), random);
      const head = await store.append(
        ...events,
        RefusalsCounted({ keyId, address: null, minute: earlier(7 * MINUTE), counts: { no_accounts: 3 } }),
      );
      for (const stepMs of [MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, DAY]) {
        const moment = randomMoment(random);
        const since = (moment - (moment % stepMs)) as typeof moment;
        const steps = await store.requestTotals.steps(since, stepMs, head);
        const starts = steps.map(({ start }) => start);
        expect(starts).toEqual([...new Set(starts)].filter((start) => start % stepMs === 0).sort((a, b) => a - b));
        for (const { start, unlogged, ...sums } of steps) {
          const within = events.filter(({ data }) => data.requestedAt - (data.requestedAt % stepMs) === start);
          const { byErrorCode: _, unlogged: __, ...expected } = sumsOf(within);
          expect(sums).toEqual(expected);
          expect(within.length + unlogged).toBeGreaterThan(0);
        }
        const total = await store.requestTotals.since(since, head);
        const summed = (name: 'requests' | 'unlogged') => steps.reduce((sum, step) => sum + step[name], 0);
        expect([summed('requests'), summed('unlogged')]).toEqual([total.requests, total.unlogged]);
      }
    });

    test('unlogged refusals count as errors of their code', async () => {
      await using store = await createReadModels();
      const counts = { rate_limit_exceeded: 7, model_not_allowed: 2 };
      const head = await store.append(
        RefusalsCounted({ keyId, address: null, minute: NOW, counts }),
        RefusalsCounted({ keyId: null, address: null, minute: NOW, counts: { no_accounts: 1 } }),
        RefusalsCounted({ keyId: null, address: '203.0.113.9', minute: NOW, counts: { invalid_api_key: 99 } }),
      );
      expect(await store.requestTotals.since(earlier(HOUR), head)).toEqual({
        ...nothing,
        unlogged: 10,
        byErrorCode: { ...counts, no_accounts: 1 },
      });
      expect((await store.requestLog.page({}, 10, 0, head)).total).toBe(0);
    });

    test('only unlogged refusals since the given moment count', async () => {
      await using store = await createReadModels();
      const at = (minutesAgo: number, counts: Record<string, number>) =>
        RefusalsCounted({ keyId, address: null, minute: earlier(minutesAgo * MINUTE), counts });
      const head = await store.append(
        at(90, { rate_limit_exceeded: 1 }),
        at(31, { rate_limit_exceeded: 2, model_not_allowed: 4 }),
        at(30, { rate_limit_exceeded: 8 }),
        at(1, { rate_limit_exceeded: 16, model_not_allowed: 32 }),
      );
      for (const [minutesAgo, limited, notAllowed] of [
        [91, 27, 36],
        [31, 26, 36],
        [30, 24, 32],
        [29.9, 16, 32],
      ] as const) {
        const { unlogged, byErrorCode } = await store.requestTotals.since(earlier(minutesAgo * MINUTE), head);
        expect([unlogged, byErrorCode]).toEqual([
          limited + notAllowed,
          { rate_limit_exceeded: limited, model_not_allowed: notAllowed },
        ]);
      }
      expect((await store.requestTotals.since(earlier(0), head)).unlogged).toBe(0);
    });
  });
}

function sumsOf(events: readonly RequestEvent[]) {
  const sums = { ...nothing };
  const byErrorCode: Record<string, number> = {};
  for (const { data } of events) {
    const { usage = null, costMicroDollars = null } = 'usage' in data ? data : {};
    sums.requests++;
    if (data.status !== '200') sums.errors++;
    sums.inputTokens += usage?.inputTokens ?? 0;
    sums.outputTokens += usage?.outputTokens ?? 0;
    sums.cachedInputTokens += usage?.cachedInputTokens ?? 0;
    sums.reasoningTokens += usage?.reasoningTokens ?? 0;
    sums.costMicroDollars += costMicroDollars ?? 0;
    sums.latencyMs += data.latencyMs;
    if (data.errorCode !== null) byErrorCode[data.errorCode] = (byErrorCode[data.errorCode] ?? 0) + 1;
  }
  return { ...sums, byErrorCode };
}
