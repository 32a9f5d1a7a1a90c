import { expect, test } from 'vitest';
import { type ApiKeyId, type Instant, instant, type Position, position } from '../../domain/core/brands.ts';
import type { RefusedRequest } from '../../domain/request/events.ts';
import type { EventToAppend } from '../../eventLog/eventLog.ts';
import { Refusals } from './refusals.ts';

const refusal = (requestId: string, decidedAt?: number): RefusedRequest => ({
  ...(decidedAt !== undefined && { decidedAt: position(decidedAt) }),
  requestId,
  keyId: null,
  route: '/v1/responses',
  model: 'm',
  effort: null,
  requestedAt: instant(0),
  status: '400',
  errorCode: 'invalid_request_error',
  errorMessage: 'no',
  latencyMs: 0,
});

function setUp() {
  let now: Instant = instant(600_000);
  const hot = { position: position(1) as Position };
  const events: EventToAppend[] = [];
  const record = async (event: EventToAppend) => {
    // The append takes time: refusals meanwhile must not be lost.
    await new Promise((resolve) => setImmediate(resolve));
    events.push(event);
  };
  const refusals = new Refusals({ record, hot, now: () => now });
  const counted = () =>
    events.filter(({ type }) => type === 'RefusalsCounted').map(({ data }) => (data as { counts: object }).counts);
  const positions = () => events.map(({ data }) => (data as { decidedAt?: unknown }).decidedAt);
  return { hot, refusals, events, counted, positions, pass: (ms: number) => (now = instant(now + ms)) };
}

test('records sixty refusals a minute as events and counts the rest', async () => {
  const { refusals, events, counted } = setUp();
  for (let index = 0; index < 70; index++) await refusals.record(refusal(`r${index}`));
  await refusals.stop();
  expect(events.filter(({ type }) => type === 'RequestRefused')).toHaveLength(60);
  expect(counted()).toEqual([{ invalid_request_error: 10 }]);
});

test('loses no count when the minute ends during a write', async () => {
  const { refusals, counted, pass } = setUp();
  refusals.countAnonymous('10.0.0.1', 'ip_forbidden');
  for (let index = 0; index < 70; index++) await refusals.record(refusal(`r${index}`));
  pass(60_000);
  await refusals.record(refusal('next minute'));
  await refusals.stop();
  expect(counted()).toEqual(expect.arrayContaining([{ ip_forbidden: 1 }, { invalid_request_error: 10 }]));
});

test('loses no count when the clock is set back', async () => {
  const { refusals, counted, pass } = setUp();
  refusals.countAnonymous('10.0.0.1', 'ip_forbidden');
  pass(-300_000);
  refusals.countAnonymous('10.0.0.1', 'ip_forbidden');
  await refusals.stop();
  expect(counted()).toEqual([{ ip_forbidden: 1 }, { ip_forbidden: 1 }]);
});

test('records where the fold was that refused a request', async () => {
  const { hot, refusals, positions } = setUp();
  await refusals.record(refusal('by the state', undefined));
  hot.position = position(7);
  await refusals.record(refusal('later', undefined));
  await refusals.record(refusal('decided before it is recorded', 5));
  await refusals.stop();
  expect(positions()).toEqual([1, 7, 5]);
});

test('records where the fold was that refused the first and the last of the counted requests', async () => {
  const { hot, refusals, events, positions } = setUp();
  refusals.countAnonymous('10.0.0.1', 'ip_forbidden');
  refusals.countAnonymous('10.0.0.2', 'invalid_api_key');
  hot.position = position(4);
  refusals.countAnonymous('10.0.0.1', 'ip_forbidden');
  const keyId = 'key-1' as ApiKeyId;
  for (let index = 0; index < 63; index++) await refusals.record({ ...refusal(`r${index}`, 100 + index), keyId });
  events.length = 0;
  await refusals.stop();
  expect(positions()).toEqual([
    [1, 4],
    [1, 1],
    [160, 162],
  ]);
});
