import { expect, test } from 'vitest';
import { earlier, HOUR, later, NOW } from '../../../test/support/specification.ts';
import { Refusal } from '../../domain/core/refusal.ts';
import { Throttle } from './throttle.ts';

const stage = () => {
  const clock = { now: NOW };
  const throttle = new Throttle(() => clock.now);
  /** @returns seconds to wait, 0 when admitted */
  const wait = (key = 'a') => {
    try {
      throttle.admit(key);
      return 0;
    } catch (error) {
      expect((error as Refusal).code).toBe('rate_limit_exceeded');
      return (error as Refusal).details.retryAfterSeconds;
    }
  };
  return { clock, throttle, wait };
};

test('refuses after eight failures until the first is a minute old', () => {
  const { clock, throttle, wait } = stage();
  for (let n = 0; n < 8; n++) {
    expect(wait()).toBe(0);
    clock.now = later(n * 1_000);
    throttle.recordFailure('a');
  }
  expect(wait()).toBe(53);
  clock.now = later(59_999);
  expect(wait()).toBe(1);
  clock.now = later(60_000);
  expect(wait()).toBe(0);
  throttle.recordFailure('a');
  expect(wait()).toBe(1);
});

test('counts keys separately and clears one on success', () => {
  const { throttle, wait } = stage();
  for (let n = 0; n < 8; n++) throttle.recordFailure('a');
  expect([wait('a'), wait('b')]).toEqual([60, 0]);
  throttle.clearFailures('a');
  expect(wait('a')).toBe(0);
});

test('ignores failures in the future after the clock was set back', () => {
  const { clock, throttle, wait } = stage();
  for (let n = 0; n < 8; n++) throttle.recordFailure('a');
  clock.now = earlier(HOUR);
  expect(wait()).toBe(0);
  for (let n = 0; n < 8; n++) throttle.recordFailure('a');
  expect(wait()).toBe(60);
});

test('throws a Refusal', () => {
  const { throttle } = stage();
  for (let n = 0; n < 8; n++) throttle.recordFailure('a');
  expect(() => throttle.admit('a')).toThrow(Refusal);
});
