import { expect, test } from 'vitest';
import { instant } from '../domain/core/brands.ts';
import { FailureRate } from './failureRate.ts';

const MINUTE = 60_000;

test('counts the last five minutes, and what clients do wrong as no failure', () => {
  const rate = new FailureRate();
  for (const status of ['200', '400', '403', '429', '502', 'error']) rate.count(status, instant(0));
  expect(rate.at(instant(4 * MINUTE))).toEqual({ requests: 6, failed: 3 });
  expect(rate.at(instant(5 * MINUTE))).toEqual({ requests: 0, failed: 0 });
  for (let minute = 1; minute < 60; minute++) rate.count('200', instant(minute * MINUTE));
  expect(rate.at(instant(59 * MINUTE))).toEqual({ requests: 5, failed: 0 });
});
