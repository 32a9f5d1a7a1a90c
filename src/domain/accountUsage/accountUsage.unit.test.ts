import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  accountId,
  at,
  earlier,
  HOUR,
  later,
  MINUTE,
  NOW,
  recorded,
  usageSample,
  usageWindow,
} from '../../../test/support/specification.ts';
import type { Instant } from '../core/brands.ts';
import { AccountUsageObserved, type UsageSample } from './events.ts';
import { evolve, initialState, type LimitReported } from './state.ts';

type Folded = Parameters<typeof evolve>[1];

const observed = (sample: UsageSample, time: Instant = NOW): Folded =>
  recorded(at(time, AccountUsageObserved({ accountId: accountId(1), ...sample })));
const pronounced = (since: Instant = NOW, until: Instant = later(HOUR, since)): LimitReported => ({
  type: 'LimitReported',
  since,
  until,
  code: 'rate_limit_exceeded',
});
const fold = (...events: Folded[]) => events.reduce(evolve, initialState);

const open = usageSample(usageWindow(40), usageWindow(10));

test('starts without usage data', () =>
  expect(fold()).toEqual({ sample: undefined, observedAt: undefined, limited: undefined }));

test('keeps the last sample with its time', () =>
  expect(fold(observed(usageSample(usageWindow(1)), earlier(MINUTE)), observed(open))).toEqual({
    sample: open,
    observedAt: NOW,
    limited: undefined,
  }));

test('keeps a reported limit beside the sample', () =>
  expect(fold(observed(open, earlier(MINUTE)), pronounced())).toEqual({
    sample: open,
    observedAt: earlier(MINUTE),
    limited: { since: NOW, until: later(HOUR), code: 'rate_limit_exceeded' },
  }));

test('a later sample below 100 % lifts a reported limit', () =>
  expect(fold(pronounced(), observed(open, later(MINUTE))).limited).toBeUndefined());

test('an earlier or simultaneous sample does not lift a limit', () => {
  expect(fold(pronounced(), observed(open, earlier(1))).limited).toBeDefined();
  expect(fold(pronounced(), observed(open, NOW)).limited).toBeDefined();
});

test('a sample with a used-up window does not lift a limit', () => {
  const full = usageWindow(100);
  expect(fold(pronounced(), observed(usageSample(full, usageWindow(0)), later(1))).limited).toBeDefined();
  expect(fold(pronounced(), observed(usageSample(usageWindow(0), full), later(1))).limited).toBeDefined();
});

test('a sample without windows does not lift a limit', () =>
  expect(fold(pronounced(), observed(usageSample(null, null), later(1))).limited).toBeDefined());

test('ignores a limit recorded after a newer sample below 100 %', () =>
  expect(fold(observed(open, later(MINUTE)), pronounced()).limited).toBeUndefined());

test('the latest reported limit applies, in any order of arrival', () => {
  const first = pronounced(NOW, later(5 * HOUR));
  const second = pronounced(later(MINUTE), later(HOUR));
  expect(fold(first, second).limited?.until).toBe(later(HOUR));
  expect(fold(second, first).limited?.until).toBe(later(HOUR));
});

test('the limit does not depend on when the request ends', () => {
  const samples = fc.constantFrom(open, usageSample(usageWindow(100)), usageSample(null));
  fc.assert(
    fc.property(samples, fc.integer({ min: -5, max: 5 }), (sample, minutes) => {
      const events = [observed(sample, later(minutes * MINUTE)), pronounced()] as const;
      expect(fold(events[1], events[0])).toEqual(fold(events[0], events[1]));
    }),
  );
});
