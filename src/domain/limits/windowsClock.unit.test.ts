import { expect, test } from 'vitest';
import { DAY, HOUR, later, NOW } from '../../../test/support/specification.ts';
import { type Instant, position } from '../core/brands.ts';
import { acceptedAt, advanceTo, countedAt, initialState, windowsTime } from './windowsClock.ts';

const admitted = (asOf: Instant, decidedAt = 1, requestedAt = asOf, v = 3) => ({
  requestedAt,
  admission: { asOf, decidedAt: position(decidedAt), v },
});

test('keeps the highest time', () => {
  const ahead = advanceTo(initialState, later(2 * DAY));
  expect(advanceTo(ahead, NOW)).toBe(ahead);
  expect(advanceTo(ahead, later(3 * DAY)).time).toBe(later(3 * DAY));
});

test('windows follow the clock of the machine, and stay where they are when it goes back', () => {
  const clock = advanceTo(initialState, NOW);
  expect(windowsTime(clock, later(HOUR))).toBe(later(HOUR));
  expect(windowsTime(clock, later(-2 * HOUR))).toBe(NOW);
});

test('a request counts at its admission, and without one when it was made', () => {
  expect(countedAt(initialState, admitted(later(HOUR), 1, NOW))).toBe(later(HOUR));
  expect(countedAt(initialState, { requestedAt: NOW })).toBe(NOW);
});

test('a request admitted by an earlier version counts when it was made, as that version counted it', () => {
  expect(countedAt(initialState, admitted(later(HOUR), 1, NOW, 2))).toBe(NOW);
});

test('an acceptance sets the clock back', () => {
  const accepted = acceptedAt(NOW, position(9));
  expect(accepted.time).toBe(NOW);
  expect(advanceTo(accepted, later(1))).toEqual({ ...accepted, time: later(1) });
});

test('a request admitted by a clock that ran ahead counts when the clock was accepted', () => {
  const clock = acceptedAt(NOW, position(9));
  expect(countedAt(clock, admitted(later(365 * DAY), 8))).toBe(NOW);
  expect(countedAt(clock, admitted(later(-HOUR), 8))).toBe(later(-HOUR));
  expect(countedAt(clock, admitted(later(365 * DAY), 9))).toBe(later(365 * DAY));
});
