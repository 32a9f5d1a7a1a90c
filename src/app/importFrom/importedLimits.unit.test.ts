import { expect, test } from 'vitest';
import { instant } from '../../domain/core/brands.ts';
import { importedLimits } from './importedLimits.ts';
import type { SourceLimit } from './readSource.ts';

const HOUR_MS = 3_600_000;
const NOW = instant(Date.UTC(2026, 10, 28, 12));
const row = (changes: Partial<SourceLimit> = {}): SourceLimit => ({
  api_key_id: 'k',
  limit_type: 'total_tokens',
  limit_window: 'daily',
  max_value: 1_000,
  current_value: 322,
  model_filter: null,
  reset_at: instant(NOW + 6 * HOUR_MS),
  ...changes,
});
const one = (changes: Partial<SourceLimit>) => importedLimits([row(changes)], NOW).limits[0];

test('keeps the window in which a limit counts, and what it has counted', () =>
  expect(importedLimits([row()], NOW)).toEqual({
    limits: [
      {
        ...{ limitType: 'total_tokens', limitWindow: 'daily', maxValue: 1_000, modelFilter: null },
        ...{ createdAt: NOW - 18 * HOUR_MS, used: 322 },
      },
    ],
    changes: [],
    missing: [],
  }));

test('begins the window that lasts now when codex-lb has not reset a limit since', () =>
  expect(one({ reset_at: instant(NOW - 30 * HOUR_MS) })).toMatchObject({ createdAt: NOW - 6 * HOUR_MS, used: 0 }));

test('a reset that is too far away begins no window after now', () =>
  expect(one({ reset_at: instant(NOW + 9_999 * HOUR_MS) })?.createdAt).toBe(NOW));

test('turns 7d into a week', () => expect(one({ limit_window: '7d' })?.limitWindow).toBe('weekly'));

test('counts months of the calendar, and says so', () => {
  const { limits, changes } = importedLimits([row({ limit_window: 'monthly' })], NOW);
  expect(limits[0]).toMatchObject({ limitWindow: 'monthly', createdAt: NOW, used: 322 });
  expect(changes).toEqual([expect.stringContaining('calendar month')]);
});

test('turns millionths of a dollar into whole dollars, never into more', () => {
  const { limits, changes } = importedLimits([row({ limit_type: 'cost_usd', max_value: 2_500_000 })], NOW);
  expect(limits[0]).toMatchObject({ maxValue: 2, used: 322 });
  expect(changes).toEqual([expect.stringContaining('rounded down to 2 USD')]);
});

test('one limit of two that are the same here is the stricter one', () => {
  const rows = [row({ limit_window: 'weekly' }), row({ limit_window: '7d', max_value: 900, current_value: 500 })];
  expect(importedLimits(rows, NOW).limits).toEqual([expect.objectContaining({ maxValue: 900, used: 500 })]);
});

test.each([
  [{ limit_type: 'credits' }, 'does not limit credits'],
  [{ limit_window: '5h' }, 'no windows of 5h'],
  [{ limit_type: 'cost_usd', max_value: 999_999 }, 'at least one'],
  [{ max_value: 0 }, 'at least one'],
])('leaves out %j and says why', (changes, reason) => {
  const { limits, missing } = importedLimits([row(changes)], NOW);
  expect(limits).toEqual([]);
  expect(missing).toEqual([expect.stringContaining(reason)]);
});

test('a negative count counts as nothing', () => expect(one({ current_value: -5 })?.used).toBe(0));
