import { expect, test } from 'vitest';
import { paceOf, paceText } from './pace.ts';

const HOUR = 3_600_000;
const window = { startedAt: 0, resetAt: 10 * HOUR };

test('extends the usage of a window to its end', () => {
  expect(paceOf({ ...window, usedPercent: 20 }, 5 * HOUR)).toEqual({ atReset: 40, runsOutAt: undefined });
  expect(paceOf({ ...window, usedPercent: 80 }, 5 * HOUR)).toEqual({ atReset: 160, runsOutAt: 6.25 * HOUR });
});

test('says nothing of a window that has just begun, of one that is over, and of an unused one', () => {
  expect(paceOf({ ...window, usedPercent: 50 }, 0.4 * HOUR)).toBeUndefined();
  expect(paceOf({ ...window, usedPercent: 50 }, 10 * HOUR)).toBeUndefined();
  expect(paceOf({ ...window, usedPercent: 0 }, 5 * HOUR)).toBeUndefined();
});

test.each([
  [20, 'at this pace 40 % used at the reset'],
  [80, 'at this pace used up in 1h 15m'],
  [100, 'used up'],
  [130, 'used up'],
])('describes %d percent after half of the time', (usedPercent, text) => {
  const pace = paceOf({ ...window, usedPercent }, 5 * HOUR);
  expect(pace && paceText(pace, 5 * HOUR)).toBe(text);
});
