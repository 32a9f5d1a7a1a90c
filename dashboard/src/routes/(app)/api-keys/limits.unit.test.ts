import { expect, test } from 'vitest';
import { type Key, keyMatches, keyStatusOf, type Limit, limitText, useOf } from './limits.ts';

const NOW = Date.parse('2026-01-15T12:00:00Z');

const limit = (changes: Partial<Limit> = {}): Limit => ({
  id: 1,
  limit_type: 'total_tokens',
  limit_window: 'daily',
  max_value: 4_000,
  model_filter: null,
  on_exceeded: 'finish',
  reset_at: '2026-01-16T12:00:00Z',
  current_value: 0,
  reserved_value: 0,
  ...changes,
});

const key = (changes: Partial<Key> = {}): Key => ({
  id: '11111111-1111-4111-8111-111111111111',
  name: 'laptop',
  key_prefix: 'sk-svc-abcdef012',
  allowed_models: null,
  regions: null,
  expires_at: null,
  is_active: true,
  created_at: '2026-01-01T00:00:00Z',
  last_used_at: null,
  owner: null,
  team: null,
  limits: [],
  ...changes,
});

test('limitText names amount, period and model', () => {
  expect(limitText(limit())).toBe('4,000 tokens a day');
  expect(
    limitText(limit({ limit_type: 'cost_usd', limit_window: 'monthly', max_value: 50, model_filter: 'gpt-5.5' })),
  ).toBe('$50.00 a month on gpt-5.5');
  expect(limitText(limit({ limit_type: 'output_tokens', limit_window: 'weekly', max_value: 2_500_000 }))).toBe(
    '2.5M output tokens a week',
  );
});

test('limitText says when a limit stops streams', () =>
  expect(limitText(limit({ model_filter: 'gpt-5.5', on_exceeded: 'stop' }))).toBe(
    '4,000 tokens a day on gpt-5.5, stops streams',
  ));

test('usageOf separates used from reserved amounts', () => {
  expect(useOf(limit({ current_value: 1_000, reserved_value: 500 }))).toEqual({
    usedPercent: 25,
    reservedPercent: 12.5,
    text: '1,000 of 4,000 tokens',
    reservedText: '500 tokens',
    isReached: false,
  });
  expect(useOf(limit()).reservedText).toBeUndefined();
});

test('usageOf uses the exact cost although current_value is rounded down', () => {
  const use = useOf(
    limit({ limit_type: 'cost_usd', max_value: 2, current_value: 1, current_cost_usd: 1.5, reserved_cost_usd: 0 }),
  );
  expect([use.usedPercent, use.text]).toEqual([75, '$1.50 of $2.00']);
});

test('a limit counts as reached when used plus reserved amounts reach the maximum', () => {
  expect(useOf(limit({ current_value: 3_999 })).isReached).toBe(false);
  expect(useOf(limit({ current_value: 3_999, reserved_value: 1 })).isReached).toBe(true);
});

test.each([
  ['Active', {}],
  ['Inactive', { is_active: false, limits: [limit({ current_value: 9_999 })] }],
  ['Expired', { expires_at: '2026-01-15T12:00:00Z' }],
  ['Active', { expires_at: '2026-01-15T12:00:01Z' }],
  ['Limit reached', { limits: [limit(), limit({ id: 2, current_value: 4_000 })] }],
  ['Near its limit', { limits: [limit({ current_value: 3_200 })] }],
  ['Active', { limits: [limit({ current_value: 3_199 })] }],
] as const)('reports a key as %s', (label, changes) =>
  expect(keyStatusOf(key(changes as Partial<Key>), NOW).label).toBe(label),
);

test('finds keys by name, prefix and ID', () => {
  expect(['LAP', 'abcdef', '1111-4111', ' laptop '].map((search) => keyMatches(key(), search))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(keyMatches(key(), 'desktop')).toBe(false);
  const owned = key({ owner: 'Ada', team: 't1' });
  expect([keyMatches(owned, 'ada'), keyMatches(owned, 'sear', 'search'), keyMatches(owned, 't1')]).toEqual([
    true,
    true,
    false,
  ]);
});
