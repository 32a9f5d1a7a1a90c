import { describe, expect, test } from 'vitest';
import { type Instant, instant } from '../../../src/domain/core/brands.ts';
import { MAX_EFFORTS, MAX_MODELS } from '../../../src/readModels/kindNames.ts';
import type { RequestLogFilter } from '../../../src/readModels/requestLogQueries.ts';
import { completed, refused } from '../../support/management.ts';
import { seededRandom } from '../../support/random.ts';
import { DAY, earlier, NOW } from '../../support/specification.ts';
import type { ReadModelsFactory, Scaled } from '../readModels.ts';
import { newestFirst, type RequestEvent, randomRequests } from './randomRequests.ts';
import { matches, randomFilter } from './requestLogPages.ts';

const EDGES: readonly Instant[] = [earlier(101 * DAY), instant(NOW + DAY)];

/** Refused requests, each with a model of its own. */
const refusedModels = (count: number): RequestEvent[] =>
  Array.from({ length: count }, (_, index) =>
    refused({ requestId: `invented_${index}`, model: `invented ${index}`, effort: null }),
  );

export function inventedNames(createReadModels: ReadModelsFactory, scaled: Scaled): void {
  describe('names that clients invent', () => {
    test('are counted as one beyond a bound, and each is found in the log', { timeout: 240_000 }, async () => {
      await using store = await createReadModels();
      const count = scaled(20_000);
      const head = await store.append(...refusedModels(count));
      // So many events may take longer than a query waits.
      await expect
        .poll(async () => (await store.requestLog.page({}, 1, 0, head)).total, { timeout: 120_000 })
        .toBe(count);
      const { modelOptions } = await store.requestLog.options({}, head);
      expect(modelOptions.length).toBeLessThanOrEqual(MAX_MODELS.failed + 1);
      expect(modelOptions.reduce((sum, option) => sum + option.count, 0)).toBe(count);

      const last = `invented ${count - 1}`;
      const page = async (filter: RequestLogFilter) => {
        const { rows, total } = await store.requestLog.page(filter, 5, 0, head);
        return [rows[0]?.model, total];
      };
      expect(await page({ models: ['invented 3'] })).toEqual(['invented 3', 1]);
      expect(await page({ models: [last] })).toEqual([last, 1]);
      expect(await page({ modelOptions: [{ model: last, effort: null }] })).toEqual([last, 1]);
      expect(await page({ models: [last], statuses: ['200'] })).toEqual([undefined, 0]);
      expect(await page({ models: ['other'] })).toEqual([last, count - modelOptions.length + 1]);

      const own = await store.requestLog.options({ models: [last] }, head);
      expect(own.statuses).toEqual([{ status: '429', count: 1 }]);
      expect(own.modelOptions).toContainEqual({ model: last, effort: null, count: 1 });

      const of = async (filter: RequestLogFilter) =>
        (await store.figures.breakdown({ by: 'model', filter, edges: EDGES, maxGroups: 5_000 }, head)).total.sums
          .requests;
      expect([await of({}), await of({ models: [last] })]).toEqual([count, 1]);
    });

    test('take no room of models that a provider serves', { timeout: 120_000 }, async () => {
      await using store = await createReadModels();
      const head = await store.append(
        ...refusedModels(MAX_MODELS.failed + 5),
        refused({ model: 'gpt-late' }),
        completed({ model: 'gpt-late' }),
        completed({ model: 'gpt-late', effort: 'high' }),
      );
      const { modelOptions } = await store.requestLog.options({}, head);
      expect(modelOptions.filter(({ model }) => model === 'gpt-late')).toEqual([
        { model: 'gpt-late', effort: null, count: 1 },
        { model: 'gpt-late', effort: 'high', count: 1 },
      ]);
      // The refused one came before the model was known.
      expect((await store.requestLog.page({ models: ['gpt-late'] }, 10, 0, head)).total).toBe(3);
      expect(await store.requestLog.models(head)).toEqual(['gpt-late']);
    });

    test('leave every filter and all figures right', { timeout: 240_000 }, async () => {
      await using store = await createReadModels();
      const random = seededRandom(41);
      const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
      const invented = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name} ${index}`);
      const [models, efforts] = [invented('model', 1_500), [null, ...invented('effort', 2 * MAX_EFFORTS.succeeded)]];
      // The names within the bounds are other ones than those of the filters in most cases.
      const events = randomRequests(Math.max(800, scaled(3_000)), random).map((event) => {
        const [model, effort] = [
          random() < 0.7 ? pick(models) : event.data.model,
          pick([event.data.effort, pick(efforts)]),
        ];
        return { ...event, data: { ...event.data, model, effort } };
      }) as RequestEvent[];
      const head = await store.append(...events);
      const sorted = newestFirst(events);
      const rounds = Array.from({ length: Math.max(15, scaled(80)) }, () => {
        const { search: _, ...filter } = randomFilter(random);
        const some = pick(events).data;
        return {
          ...filter,
          ...(random() < 0.5 && { models: [pick(models), some.model, 'gpt-5'] }),
          ...(random() < 0.3 && { efforts: [some.effort, pick(efforts)] }),
          ...(random() < 0.3 && { modelOptions: events.slice(5, 200).map(({ data }) => data) }),
        };
      });
      for (const filter of rounds) {
        const expected = sorted.filter((event) => matches(event, filter));
        const { rows, total } = await store.requestLog.page(filter, 20, 1, head);
        expect([rows.map(({ requestId }) => requestId), total], JSON.stringify(filter)).toEqual([
          expected.slice(1, 21).map(({ data }) => data.requestId),
          expected.length,
        ]);
        const names = rows.map(({ model, effort }) => [model, effort]);
        expect(names).toEqual(expected.slice(1, 21).map(({ data }) => [data.model, data.effort]));
        const { since: _, until: __, ...conditions } = filter;
        const { total: figures } = await store.figures.breakdown(
          { by: pick(['model', 'effort', 'status']), filter: conditions, edges: EDGES, maxGroups: 2_000 },
          head,
        );
        expect(figures.sums.requests).toBe(events.filter((event) => matches(event, conditions)).length);
      }
    });
  });
}
