import { expect, test } from 'vitest';
import { type Instant, instant } from '../../domain/core/brands.ts';
import type { RefusedRequest } from '../../domain/request/events.ts';
import type { EventToAppend } from '../../eventLog/eventLog.ts';
import { Refusals } from './refusals.ts';

const refusal = (requestId: string): RefusedRequest => ({
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
  const events: EventToAppend[] = [];
  const record = async (event: EventToAppend) => {
    // The append takes time: refusals meanwhile must not be lost.
    await new Promise((resolve) => setImmediate(resolve));
    events.push(event);
  };
  const refusals = new Refusals({ record, now: () => now });
  const counted = () =>
    events.filter(({ type }) => type === 'RefusalsCounted').map(({ data }) => (data as { counts: object }).counts);
  return { refusals, events, counted, pass: (ms: number) => (now = instant(now + ms)) };
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
