import { expect, test } from 'vitest';
import type { UsageWindow } from './events.ts';
import { commonMinutes } from './windowMinutes.ts';

const lasting = (windowMinutes: number | null) => ({ usedPercent: 1, resetAt: null, windowMinutes }) as UsageWindow;

test.each([
  ['all that know theirs agree', [lasting(300), null, lasting(null), undefined, lasting(300)], 300],
  ['they differ', [lasting(300), lasting(1_440), lasting(300)], 10_080],
  ['none knows', [lasting(null), null], 10_080],
  ['one has a length of 0', [lasting(0)], 10_080],
])('the length of a window over several accounts when %s', (_case, windows, minutes) =>
  expect(commonMinutes(windows, 'secondary')).toBe(minutes),
);
