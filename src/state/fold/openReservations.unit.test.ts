import { expect, test } from 'vitest';
import { type ApiKeyId, type Instant, instant, type MicroDollars, position } from '../../domain/core/brands.ts';
import type { LimitRule } from '../../domain/limits/limitRule.ts';
import { acceptedAt, initialState } from '../../domain/limits/windowsClock.ts';
import { RequestAdmitted } from '../../domain/request/events.ts';
import { reservedByOpen } from './openReservations.ts';
import type { OpenRequest } from './requestFolds.ts';

const DAY = 86_400_000;
const NOW = instant(10 * DAY);
const rule: LimitRule = {
  id: 1,
  limitType: 'total_tokens',
  limitWindow: 'daily',
  maxValue: 1_000,
  modelFilter: null,
  onExceeded: 'finish',
  createdAt: instant(0),
};

const open = (asOf: Instant, changes: { model?: string; decidedAt?: number; isLimited?: false } = {}): OpenRequest => {
  const { model = 'gpt-5.1', decidedAt = 5, isLimited = true } = changes;
  const estimate = { inputTokens: 100, outputTokens: 200, costMicroDollars: 40 as MicroDollars };
  const admission = { decidedAt: position(decidedAt), asOf, v: 3, estimate, reserved: [] };
  const request = { requestId: 'req_1', keyId: 'key-1' as ApiKeyId, route: '/v1/responses', model, effort: null };
  return {
    ...RequestAdmitted({ ...request, requestedAt: asOf, accountId: null, ...(isLimited && { admission }) }),
    position: position(decidedAt + 1),
    time: asOf,
    stream: 'requests-n1.a1_20260115',
    revision: 0,
  };
};

test('sums the estimates of the requests that the rule applies to, in its unit', () => {
  const requests = [open(NOW), open(NOW, { model: 'gpt-5.2' }), open(NOW, { isLimited: false })];
  expect(reservedByOpen(requests, rule, initialState, NOW)).toBe(600);
  expect(reservedByOpen(requests, { ...rule, modelFilter: 'gpt-5.2' }, initialState, NOW)).toBe(300);
  expect(reservedByOpen(requests, { ...rule, limitType: 'cost_usd' }, initialState, NOW)).toBe(80);
  expect(reservedByOpen([], rule, initialState, NOW)).toBe(0);
});

test('reserves only in the window of the admission', () => {
  const requests = [open(NOW), open(instant(NOW - 1))];
  expect(reservedByOpen(requests, rule, initialState, NOW)).toBe(300);
  expect(reservedByOpen(requests, rule, initialState, instant(NOW + DAY))).toBe(0);
  expect(reservedByOpen(requests, { ...rule, createdAt: instant(NOW + 1) }, initialState, instant(NOW + 1))).toBe(0);
});

test('reserves in the window of the accepted clock what a clock ahead admitted', () => {
  const ahead = open(instant(NOW + 3 * DAY), { decidedAt: 5 });
  expect(reservedByOpen([ahead], rule, acceptedAt(NOW, position(8)), NOW)).toBe(300);
  expect(reservedByOpen([ahead], rule, acceptedAt(NOW, position(4)), NOW)).toBe(0);
});
