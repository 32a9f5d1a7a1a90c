import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accountId, hash, keyId, limitRule, NOW, recorded } from '../../../test/support/specification.ts';
import { ApiKeyCreated } from '../../domain/apiKey/events.ts';
import { microDollars, position } from '../../domain/core/brands.ts';
import { RequestAdmitted, RequestCompleted } from '../../domain/request/events.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { AnnouncedReservations } from '../../proxy/admission/announcedReservations.ts';
import { HotState } from './hotState.ts';

const key = keyId(1);
const rule = limitRule();

const requested = (requestId: string) => ({
  requestId,
  keyId: key,
  route: '/v1/responses',
  model: 'gpt-5',
  effort: null,
  requestedAt: NOW,
});
const admission = {
  decidedAt: position(1),
  asOf: NOW,
  v: 1,
  estimate: { inputTokens: 100, outputTokens: 20, costMicroDollars: microDollars(0) },
  reserved: [],
};

const announced = (requestId: string): RecordedEvent =>
  recorded(RequestAdmitted({ ...requested(requestId), admission, accountId: null })) as RecordedEvent;

const ended = (requestId: string, announcements: number): RecordedEvent =>
  recorded(
    RequestCompleted({
      ...requested(requestId),
      admission,
      announcements: announcements || undefined,
      status: '200',
      errorCode: null,
      errorMessage: null,
      accountId: accountId(1),
      latencyMs: 5,
      firstByteMs: 1,
      usage: { inputTokens: 70, cachedInputTokens: 0, outputTokens: 30, reasoningTokens: 0, isEstimated: false },
      costMicroDollars: microDollars(1_500),
      priceVersion: 'v1',
      attempts: [],
    }),
  ) as RecordedEvent;

/** A fold, and what its open requests reserve. */
function startFold() {
  const hot = new HotState();
  const created = { keyId: key, name: 'k', hash: hash('a'), prefix: 'sk', allowedModels: null, expiresAt: null };
  hot.apply(recorded(ApiKeyCreated({ ...created, rules: [rule] })) as RecordedEvent);
  const reservations = new AnnouncedReservations(hot, () => false);
  return {
    hot,
    append(event: RecordedEvent) {
      hot.apply(event);
      reservations.onFolded(event);
    },
    reserved: () => reservations.foreignOn(key, rule.id, NOW),
  };
}

test('an announcement that comes after the end of its request opens and reserves nothing', () => {
  const [inOrder, late] = [startFold(), startFold()];
  for (const event of [announced('r'), ended('r', 1)]) inOrder.append(event);
  late.append(ended('r', 1));
  expect(late.hot.lateAnnouncements).toEqual(new Map([['r', 1]]));
  late.append(announced('r'));
  expect([late.hot.openRequests.size, late.reserved()]).toEqual([0, 0]);
  expect(late.hot.data()).toEqual(inOrder.hot.data());
});

test('forgets the oldest of announcements that never come', () => {
  const { hot, append } = startFold();
  for (let index = 0; index < 10_050; index += 1) append(ended(`r${index}`, 1));
  expect([hot.lateAnnouncements.size, hot.lateAnnouncements.has('r49'), hot.lateAnnouncements.has('r50')]).toEqual([
    10_000,
    false,
    true,
  ]);
});

/** The announcements of each request, and an order of all events. */
const history = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 6 }).chain((counts) =>
  fc
    .shuffledSubarray(
      counts.flatMap((count, request) => Array.from({ length: count + 1 }, () => request)),
      { minLength: counts.reduce((sum, count) => sum + count + 1, 0) },
    )
    .chain((order) =>
      fc.tuple(...counts.map((count) => fc.nat({ max: count }))).map((endsAfter) => ({ counts, order, endsAfter })),
    ),
);

test('no order of announcements and ends leaves a request open or a reservation', () => {
  fc.assert(
    fc.property(history, ({ counts, order, endsAfter }) => {
      const { hot, append, reserved } = startFold();
      const seen = counts.map(() => 0);
      const open = new Set<number>();
      const done = new Set<number>();
      for (const request of order) {
        const id = `r${request}`;
        if (seen[request] === endsAfter[request]) {
          append(ended(id, counts[request] as number));
          open.delete(request);
          done.add(request);
        } else {
          append(announced(id));
          if (!done.has(request)) open.add(request);
        }
        seen[request] = (seen[request] as number) + 1;
        expect([...hot.openRequests.keys()].toSorted()).toEqual([...open].map((each) => `r${each}`).toSorted());
        expect(reserved()).toBe(120 * open.size);
      }
      expect([hot.openRequests.size, hot.lateAnnouncements.size, reserved()]).toEqual([0, 0, 0]);
      expect(hot.counters.get(key)?.byRule.get(rule.id)?.[1]).toBe(100 * counts.length);
    }),
  );
});
