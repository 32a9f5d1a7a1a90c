import { describe, expect, test, vi } from 'vitest';
import { type Instant, instant, type Position, position } from '../../../src/domain/core/brands.ts';
import { IpAllowed } from '../../../src/domain/firewall/events.ts';
import type { IpAddress } from '../../../src/domain/firewall/ipAddress.ts';
import type { UpTo } from '../../../src/readModels/upTo.ts';
import { completed } from '../../support/management.ts';
import { HOUR } from '../../support/specification.ts';
import type { ReadModelsUnderTest } from '../readModels.ts';
import type { TestEvent } from './appending.ts';
import type { TestArchive } from './archiving.ts';

const soon = { timeout: 60_000, interval: 50 };
const DAYS = ['2026-02-27', '2026-02-28', '2026-03-01'] as const;
const SINCE = instant(Date.UTC(2026, 1, 1));

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** Requests of a day, each a minute after the one before, as a node records them. */
const requestsOf = (day: string, count: number): TestEvent[] =>
  Array.from({ length: count }, (_, index) => {
    const time = instant(startOf(day) + 5 * HOUR + index * 60_000);
    return {
      ...completed({
        requestId: `${day} ${index}`,
        requestedAt: instant(time - 500),
        model: index % 2 === 0 ? 'gpt-5' : 'gpt-5-mini',
        ...(index % 5 === 0 && { status: 'error', errorCode: 'stream_interrupted', errorMessage: `broke ${index}` }),
      }),
      time,
      stream: `requests-n.b_${day.replaceAll('-', '')}`,
    };
  });

/** Everything that is counted, which archiving must not change. */
async function countsOf(store: ReadModelsUnderTest, head: UpTo) {
  const edges = [SINCE, ...DAYS.map((day) => instant(startOf(day))), instant(startOf('2026-03-02'))];
  const request = { by: 'model', filter: {}, edges, maxGroups: 10 } as const;
  const { groups, steps, total } = await store.figures.breakdown(request, head);
  return {
    figures: { groups, steps, total },
    totals: await store.requestTotals.since(SINCE, head),
    hours: await store.requestTotals.steps(SINCE, HOUR, head),
    ofDay: await store.requestTotals.steps(SINCE, 24 * HOUR, head),
    options: await store.requestLog.options({}, head),
    filtered: await store.requestLog.options({ statuses: ['error'] }, head),
    models: await store.requestLog.models(head),
  };
}

async function filled(store: ReadModelsUnderTest): Promise<Position> {
  const ip = IpAllowed({ ip: '10.0.0.1' as IpAddress });
  await store.append({ ...ip, time: instant(startOf(DAYS[0])), stream: 'firewall-main' });
  const requests = DAYS.flatMap((day) => requestsOf(day, 12));
  return store.append(...requests);
}

export function archivedDays(
  createReadModels: () => Promise<ReadModelsUnderTest & { readonly archive: TestArchive }>,
): void {
  describe('archived days', { timeout: 120_000 }, () => {
    test('keep their sums in totals, charts and filters, and name their files where rows were', async () => {
      await using store = await createReadModels();
      const head = await filled(store);
      const before = await countsOf(store, head);
      expect((await store.requestLog.page({}, 50, 0, head)).total).toBe(36);
      const { files, head: after } = await store.archive.archive(DAYS[1]);
      const archived = [0, 1].map((index) => ({ day: DAYS[index], file: files[index], events: 12 }));
      await vi.waitFor(async () => {
        const page = await store.requestLog.page({}, 50, 0, after);
        expect(page).toMatchObject({ total: 12, archived });
        expect(page.rows.map(({ requestId }) => requestId.slice(0, 10))).toEqual(Array(12).fill(DAYS[2]));
      }, soon);
      expect(await countsOf(store, after)).toEqual(before);
      const history = await store.history.page({}, null, 100, after);
      expect(history.archived).toEqual(archived);
      expect(history.entries.filter(({ type }) => type === 'RequestCompleted')).toHaveLength(12);
      expect(history.entries.map(({ type }) => type)).toContain('IpAllowed');
      expect((await store.requestLog.page({}, 5, 10, after)).rows).toHaveLength(2);
    });

    test('are named only where the range has them', async () => {
      await using store = await createReadModels();
      await filled(store);
      const { head } = await store.archive.archive(DAYS[0]);
      await vi.waitFor(async () => {
        expect((await store.requestLog.page({}, 50, 0, head)).archived).toHaveLength(1);
      }, soon);
      const since = instant(startOf(DAYS[1])) as Instant;
      const later = await store.requestLog.page({ since }, 50, 0, head);
      expect([later.total, later.archived]).toEqual([24, undefined]);
      const until = instant(since - 1);
      const earlier = await store.requestLog.page({ until, statuses: ['nothing'] }, 50, 0, head);
      expect([earlier.total, earlier.archived?.length]).toEqual([0, 1]);
      expect((await store.history.page({ since }, null, 50, head)).archived).toBeUndefined();
    });

    test('have their rows again once they are restored, and count as before', async () => {
      await using store = await createReadModels();
      const head = await filled(store);
      const before = await countsOf(store, head);
      const { head: archivedHead } = await store.archive.archive(DAYS[1]);
      await vi.waitFor(async () => {
        expect((await store.requestLog.page({}, 50, 0, archivedHead)).total).toBe(12);
      }, soon);
      await store.append(...requestsOf('2026-03-02', 3));
      const after = await store.archive.restore(DAYS[0]);
      await vi.waitFor(async () => {
        const page = await store.requestLog.page({}, 50, 0, after);
        expect([page.total, page.archived?.map(({ day }) => day)]).toEqual([27, [DAYS[1]]]);
      }, soon);
      const counts = await countsOf(store, after);
      expect(counts.totals.requests).toBe(before.totals.requests + 3);
      expect(counts.models).toEqual(before.models);
      expect(counts.figures).toEqual(before.figures);
      // Rows of the restored day and the moment are within one span of positions, and the sums of the archived day between them.
      const at = await countsOf(store, { exactly: head });
      expect(at).toEqual(before);
      const inTheThirdDay = { exactly: position(head - 6) };
      expect((await store.requestTotals.since(SINCE, inTheThirdDay)).requests).toBe(before.totals.requests - 6);
      expect((await store.requestLog.page({}, 50, 0, inTheThirdDay)).total).toBe(18);
    });
  });
}
