import { expect, test } from 'vitest';
import { areFiguresDue } from './figuresDue.ts';

test('figures that take long are asked for less often, for at most a twentieth of the time', () => {
  expect([50, 3_000, 3_001, 20_000].map((tookMs) => areFiguresDue(tookMs, 60_000))).toEqual([true, true, false, false]);
  expect([60_000, 399_999, 400_000].map((ageMs) => areFiguresDue(20_000, ageMs))).toEqual([false, false, true]);
});
