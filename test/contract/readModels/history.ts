import { describe, expect, test } from 'vitest';
import { actorLabels, isRoutine, sentenceOf, subjectOf } from '../../../projections/history.ts';
import { ClockJumped } from '../../../src/domain/clock/events.ts';
import { type AccountId, type Instant, type Position, position } from '../../../src/domain/core/brands.ts';
import type { KnownEvent } from '../../../src/domain/eventTypes.ts';
import { IpAllowed, IpRevoked } from '../../../src/domain/firewall/events.ts';
import type { IpAddress } from '../../../src/domain/firewall/ipAddress.ts';
import { RequestAdmitted } from '../../../src/domain/request/events.ts';
import type { Actor } from '../../../src/eventLog/eventLog.ts';
import type { HistoryEntry, HistoryFilter } from '../../../src/readModels/historyQueries.ts';
import { type TimedEvent, Timeline } from '../../../src/state/fold/timeline.ts';
import { completed, refused } from '../../support/management.ts';
import { seededRandom } from '../../support/random.ts';
import { later, MINUTE, NOW } from '../../support/specification.ts';
import type { ReadModelsFactory, ReadModelsUnderTest, Scaled } from '../readModels.ts';
import type { TestEvent } from './appending.ts';
import { randomMoment } from './randomRequests.ts';

const operator = (address: string): Actor => ({
  kind: 'operator',
  sessionId: `session at ${address}`,
  address,
  userAgent: null,
  usedTotp: false,
});
const actors: readonly Actor[] = [
  { kind: 'anonymous' },
  { kind: 'apiKey', keyId: 'k1' },
  { kind: 'system', reason: 'because' },
  operator('10.0.0.7'),
  operator('10.0.0.8'),
];

/** Events of many types, at times that are not always in order, because the nodes' clocks differ. */
function randomEvents(count: number, random: () => number): TestEvent[] {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  return Array.from({ length: count }, (_, index): TestEvent => {
    const common = { time: later((index - Math.floor(random() * 5)) * MINUTE), actor: pick(actors) };
    const requestId = `req_${Math.floor(index / 2)}`;
    const ip = `10.0.0.${index % 7}` as IpAddress;
    const firewall = { ...common, stream: 'firewall-main' };
    return pick<() => TestEvent>([
      () => ({ ...completed({ requestId, accountId: 'a' as AccountId }), ...common }),
      () => ({ ...completed({ requestId, status: 'error', errorCode: `code ${index % 3}` }), ...common }),
      () => ({ ...refused({ requestId, errorMessage: `No. ${index} is "100%_refused"` }), ...common }),
      () => ({ ...admitted(requestId), ...common }),
      () => ({ ...IpAllowed({ ip }), ...firewall }),
      () => ({ ...IpRevoked({ ip }), ...firewall }),
    ])();
  });
}

const admitted = (requestId: string) => {
  const { keyId, route, model, effort, requestedAt } = completed().data;
  return RequestAdmitted({ requestId, keyId, route, model, effort, requestedAt, accountId: null });
};

interface Expected extends HistoryEntry {
  /** The latest time of all events up to this one. */
  readonly latest: number;
  readonly text: string | undefined;
}

/** The expected entries of these events, latest first. */
function expectedOf(events: readonly TestEvent[]): Expected[] {
  let latest = 0;
  const entries = events.map((appended, index): Expected => {
    const { type, data, time = NOW, actor = actors[0] as Actor, stream = 'test' } = appended;
    const event = { type, data } as KnownEvent;
    const subject = subjectOf(stream, event);
    const sentence = sentenceOf(event);
    latest = Math.max(latest, time);
    const text = isRoutine(event) ? undefined : sentence.toLowerCase();
    return { position: (index + 1) as Position, time, type, subject, actor, sentence, latest, text };
  });
  return entries.reverse();
}

const matches = (
  entry: Expected,
  { subjects, types, actors: wanted, since, until, after, search }: HistoryFilter,
): boolean =>
  (subjects?.includes(entry.subject) ?? true) &&
  (types?.includes(entry.type) ?? true) &&
  (wanted?.some((label) => actorLabels(entry.actor).includes(label)) ?? true) &&
  (since === undefined || entry.latest >= since) &&
  (until === undefined || entry.latest <= until) &&
  (after === undefined || entry.position > after) &&
  (search === undefined || (entry.text?.includes(search.toLowerCase()) ?? false));

/** The entries of all pages. */
async function everything(
  { history }: ReadModelsUnderTest,
  filter: HistoryFilter,
  limit: number,
  head: Position,
): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  let before: Position | null = null;
  do {
    const page = await history.page(filter, before, limit, head);
    expect(page.entries.length).toBeLessThanOrEqual(limit);
    entries.push(...page.entries);
    before = page.before;
  } while (before !== null);
  return entries;
}

export function history(createReadModels: ReadModelsFactory, scaled: Scaled): void {
  describe('history', () => {
    test('returns the last event first, with all its fields', async () => {
      await using store = await createReadModels();
      const actor = operator('10.0.0.7');
      const head = await store.append(
        { ...IpAllowed({ ip: '10.0.0.1' as IpAddress }), stream: 'firewall-main', time: later(MINUTE) },
        { ...IpRevoked({ ip: '10.0.0.1' as IpAddress }), stream: 'firewall-main', actor },
      );
      expect(await store.history.page({}, null, 10, head)).toEqual({
        entries: [
          {
            position: 2,
            time: NOW,
            type: 'IpRevoked',
            subject: 'firewall-main',
            actor,
            sentence: '10.0.0.1 may no longer use the proxy',
          },
          {
            position: 1,
            time: later(MINUTE),
            type: 'IpAllowed',
            subject: 'firewall-main',
            actor: { kind: 'system', reason: 'test' },
            sentence: '10.0.0.1 may use the proxy',
          },
        ],
        before: null,
      });
    });

    test('returns an empty page without a cursor for an empty log', async () => {
      await using store = await createReadModels();
      const head = await store.append();
      for (const filter of [{}, { search: 'nothing' }, { types: ['IpAllowed'] }, { since: NOW }]) {
        expect(await store.history.page(filter, null, 10, head)).toEqual({ entries: [], before: null });
      }
    });

    test('any combination of filters finds the matching events, on pages of any size', async () => {
      await using store = await createReadModels();
      const random = seededRandom(5);
      const events = randomEvents(scaled(400), random);
      const head = await store.append(...events);
      const all = expectedOf(events);
      const some = <Value>(values: readonly Value[]) => values.filter(() => random() < 0.4);
      const moment = () => later(Math.floor(random() * events.length) * MINUTE);
      for (let round = 0; round < scaled(60); round++) {
        const from = random() < 0.2 ? randomMoment(random) : moment();
        const filter: HistoryFilter = {
          ...(random() < 0.4 && { types: some(['IpAllowed', 'RequestCompleted', 'RequestRefused', 'AccountDeleted']) }),
          ...(random() < 0.3 && { subjects: some(['firewall-main', 'request-req_3', 'request-req_7', 'unknown']) }),
          ...(random() < 0.3 && { actors: some([...actors.flatMap(actorLabels), 'unknown']) }),
          ...(random() < 0.3 && { since: from }),
          ...(random() < 0.3 && { until: moment() }),
          ...(random() < 0.2 && { after: position(Math.floor(random() * events.length)) }),
          ...(random() < 0.3 && {
            search: ['MAY USE', 'code 1', '100%_r', 'No. 1', '.0.3', 'req_1'][round % 6] as string,
          }),
        };
        const expected = all.filter((entry) => matches(entry, filter)).map(({ position }) => position);
        const limit = 1 + Math.floor(random() * random() * 60) + Math.floor(expected.length / 10);
        const found = await everything(store, filter, limit, head);
        expect(
          found.map(({ position }) => position),
          `${JSON.stringify(filter)} by ${limit}`,
        ).toEqual(expected);
      }
    });

    test('since and until mean the last position written by then, also after a clock jumped', async () => {
      await using store = await createReadModels();
      const timeline = new Timeline();
      const written: { position: Position; latest: number }[] = [];
      const events: TestEvent[] = [];
      const add = (event: TestEvent) => {
        const at = position(events.push(event));
        timeline.onFolded({ ...event, time: event.time ?? NOW, position: at } as TimedEvent);
        written.push({ position: at, latest: timeline.latest });
      };
      let minute = 0;
      const work = (count: number) => {
        for (let index = 0; index < count; index++, minute++) {
          const lag = index % 3 === 2 ? 2 : 0;
          add({ ...IpAllowed({ ip: `10.0.0.${index % 9}` as IpAddress }), time: later((minute - lag) * MINUTE) });
        }
      };
      const jump = (minutes: number) => {
        const from = later(minute * MINUTE);
        minute += minutes;
        add({ ...ClockJumped({ node: 'n', from, to: later(minute * MINUTE) }), time: later(minute * MINUTE) });
      };
      // More events than between two marks of SQLite's index before, in and after the time ahead.
      const n = scaled(300);
      work(n);
      jump(2_880);
      work(n);
      jump(-2_880);
      work(n);
      const head = await store.append(...events);
      const { stretches } = timeline;

      const lastBy = (time: Instant): number => {
        const { after, until } = timeline.partAt(time);
        const found = written.findLast(({ position: at, latest }) => at > after && at <= until && latest <= time);
        return found?.position ?? after;
      };
      const last = async (filter: HistoryFilter, before: Position | null = null) =>
        (await store.history.page({ ...filter, stretches }, before, 1, head)).entries[0]?.position ?? 0;
      const k = 3 * Math.floor(n / 9);
      const ahead = n + 2_880;
      const times = [
        -1,
        0,
        k,
        n - 1,
        n,
        n + 10,
        2 * n,
        2 * n + k,
        3 * n - 1,
        3 * n,
        ahead,
        ahead + k,
        ahead + n,
        9_999,
      ];
      for (const minutes of times) {
        const until = later(minutes * MINUTE);
        expect([minutes, await last({ until })]).toEqual([minutes, lastBy(until)]);
        const since = later(minutes * MINUTE);
        const first = lastBy(later(minutes * MINUTE - 1)) + 1;
        const expected = first > head ? [0, 0] : [first, 0];
        const around = [await last({ since }, position(first + 1)), await last({ since }, position(first))];
        expect([minutes, ...around]).toEqual([minutes, ...expected]);
      }
      // Written after the clock was set back, two days before the times of the events in between.
      expect(await last({ until: later((3 * n - 1) * MINUTE) })).toBe(3 * n + 2);
      expect(await last({ since: later((2 * n + k) * MINUTE) }, position(2 * n + 3 + k))).toBe(0);
      expect(await last({ since: later((2 * n + k) * MINUTE) }, position(2 * n + 4 + k))).toBe(2 * n + 3 + k);
    });
  });
}
