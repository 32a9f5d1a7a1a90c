import { expect, test } from 'vitest';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import { type ApiKeyId, type Instant, instant, microDollars, position } from '../../domain/core/brands.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { HotState } from '../../state/fold/hotState.ts';
import type { OpenRequest } from '../../state/fold/requestFolds.ts';
import { AnnouncedReservations } from './announcedReservations.ts';

const KEY = 'k' as ApiKeyId;
const NOON = instant(Date.UTC(2026, 10, 21, 12));
const HOUR_MS = 3_600_000;

const limit = {
  limitType: 'total_tokens',
  limitWindow: 'daily',
  maxValue: 1_000,
  createdAt: NOON,
  onExceeded: 'finish',
} as const;

function setUp(...open: readonly OpenRequest[]): AnnouncedReservations {
  const hot = new HotState();
  const rules = [
    { ...limit, id: 1, modelFilter: null },
    { ...limit, id: 2, modelFilter: 'another' },
  ];
  hot.apiKeys.set(KEY, { id: KEY, rules } as Partial<ApiKey> as ApiKey);
  for (const request of open) hot.openRequests.set(request.data.requestId, request);
  return new AnnouncedReservations(hot, (stream) => stream.startsWith('requests-this.'));
}

/** A request announced by another node. */
const announced = (requestId: string, requestedAt: Instant, stream = 'requests-other.b_20261121'): OpenRequest => ({
  type: 'RequestAdmitted',
  data: {
    requestId,
    keyId: KEY,
    route: '/v1/responses',
    model: 'm',
    effort: null,
    requestedAt,
    admission: {
      decidedAt: position(1),
      asOf: requestedAt,
      v: 1,
      estimate: { inputTokens: 100, outputTokens: 20, costMicroDollars: microDollars(0) },
      reserved: [],
    },
    accountId: null,
  },
  stream,
  revision: 0,
  position: position(1),
  time: requestedAt,
});

test('counts announced requests of other nodes on the limits that apply', () => {
  const announcements = setUp(
    announced('r1', NOON),
    announced('r2', NOON),
    announced('r3', NOON, 'requests-this.b_20261121'),
  );
  expect(announcements.foreignOn(KEY, 1, NOON)).toBe(240);
  expect(announcements.foreignOn(KEY, 2, NOON)).toBe(0);
  expect(announcements.foreignOn('another' as ApiKeyId, 1, NOON)).toBe(0);
});

test('counts announced requests of its own apart, until the log has their end', () => {
  const own = announced('r1', NOON, 'requests-this.b_20261121');
  const announcements = setUp(own, announced('r2', NOON), announced('r3', NOON));
  const ended = (requestId: string) =>
    ({ type: 'RequestCompleted', data: { keyId: KEY, requestId } }) as Partial<RecordedEvent> as RecordedEvent;
  const amounts = () => [announcements.ownOn(KEY, 1, NOON), announcements.foreignOn(KEY, 1, NOON)];
  expect(amounts()).toEqual([120, 240]);
  // Other nodes count it until they have folded its end. A request of an earlier start is settled in the outbox.
  for (const id of ['r1', 'r2']) announcements.onDurable(ended(id));
  expect(amounts()).toEqual([120, 120]);
  for (const id of ['r1', 'r2', 'r3']) announcements.onFolded(ended(id));
  expect(amounts()).toEqual([0, 0]);
});

test.each([
  ['another node', 'requests-other.b_20261121', [0, 500]],
  ['this process', 'requests-this.b_20261121', [500, 0]],
])('counts a request of %s that is announced again because it has grown once', (_who, stream, amounts) => {
  const first = announced('r1', NOON, stream);
  const announcements = setUp(first);
  const { admission } = first.data;
  if (!admission) throw new Error('it has an admission');
  const estimate = { ...admission.estimate, outputTokens: 400 };
  announcements.onFolded({ ...first, data: { ...first.data, admission: { ...admission, estimate } } } as RecordedEvent);
  const now = () => [announcements.ownOn(KEY, 1, NOON), announcements.foreignOn(KEY, 1, NOON)];
  expect(now()).toEqual(amounts);
  announcements.onFolded({
    type: 'RequestCompleted',
    data: { keyId: KEY, requestId: 'r1' },
  } as Partial<RecordedEvent> as RecordedEvent);
  expect(now()).toEqual([0, 0]);
});

test('counts requests of a dead node only in their window', () => {
  const announcements = setUp(announced('r1', NOON));
  expect(announcements.foreignOn(KEY, 1, instant(NOON + 23 * HOUR_MS))).toBe(120);
  expect(announcements.foreignOn(KEY, 1, instant(NOON + 25 * HOUR_MS))).toBe(0);
});
