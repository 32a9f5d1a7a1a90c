import { expect, test } from 'vitest';
import type { Schemas } from '#lib/api/client.ts';
import type { Key, Limit } from '../api-keys/limits.ts';
import { attentionOf, type Known } from './attention.ts';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const stored = { expires_at: null, state: 'stored' };

const account = (changes: Partial<Schemas['Account']> = {}): Schemas['Account'] => ({
  account_id: 'provider-1_abcd1234',
  email: 'ada@example.com',
  display_name: 'Ada',
  plan_type: 'plus',
  status: 'active',
  usage: { primary_remaining_percent: 40, secondary_remaining_percent: 80 },
  reset_at_primary: '2026-01-15T15:00:00Z',
  reset_at_secondary: null,
  window_minutes_primary: 300,
  window_minutes_secondary: 10_080,
  capacity_credits_primary: 225,
  remaining_credits_primary: 90,
  capacity_credits_secondary: 7_560,
  remaining_credits_secondary: 6_048,
  last_refresh_at: null,
  usage_observed_at: minutesAgo(1),
  deactivation_reason: null,
  availability: { state: 'available', reason: null, until: null },
  auth: { access: { expires_at: null, state: 'valid' }, refresh: stored, id_token: stored },
  ...changes,
});
const deactivated = (email: string) =>
  account({
    email,
    status: 'deactivated',
    deactivation_reason: 'the provider no longer knows this account',
    availability: { state: 'deactivated', reason: null, until: null },
  });

const key = (limits: Partial<Limit>[], changes: Partial<Key> = {}): Key => ({
  id: '11111111-1111-4111-8111-111111111111',
  name: 'laptop',
  key_prefix: 'sk-svc-abcdef012',
  allowed_models: null,
  expires_at: null,
  is_active: true,
  created_at: '2026-01-01T00:00:00Z',
  last_used_at: null,
  limits: limits.map((limit, id) => ({
    id,
    limit_type: 'total_tokens',
    limit_window: 'daily',
    max_value: 4_000,
    model_filter: null,
    reset_at: '2026-01-16T12:00:00Z',
    current_value: 0,
    reserved_value: 0,
    ...limit,
  })),
  ...changes,
});

const about = (known: Partial<Known>) =>
  attentionOf({ accounts: [account()], keys: [], refreshSeconds: 60, now: NOW, ...known });
const texts = (known: Partial<Known>) => about(known).map(({ tone, text }) => [tone, text]);

test('a service in which everything is well needs nobody', () => {
  expect(about({ keys: [key([{ current_value: 3_000 }])] })).toEqual([]);
  expect(about({ accounts: [] })).toEqual([]);
  const resting = account({ availability: { state: 'quota_exceeded', reason: null, until: '2026-01-15T15:00:00Z' } });
  expect(about({ accounts: [account(), resting] })).toEqual([]);
});

test('a deactivated account says why, and leads to signing in to it', () =>
  expect(about({ accounts: [account(), deactivated('grace@example.com')] })).toEqual([
    {
      tone: 'bad',
      text: 'grace@example.com is deactivated',
      detail: 'the provider no longer knows this account',
      at: null,
      action: { label: 'Sign in again', href: '/accounts?sign-in=provider-1_abcd1234' },
    },
  ]));

test('many accounts with the same trouble are one line', () =>
  expect(
    texts({ accounts: [account(), ...['a', 'b', 'c', 'd'].map((name) => deactivated(`${name}@example.com`))] }),
  ).toEqual([['bad', '4 accounts are deactivated']]));

test('when nobody is served it says when that ends', () => {
  const until = '2026-01-15T15:00:00Z';
  const spent = account({ availability: { state: 'quota_exceeded', reason: null, until } });
  expect(about({ accounts: [spent, deactivated('grace@example.com')] })[0]).toMatchObject({
    tone: 'bad',
    text: 'No account can serve requests',
    at: { words: 'the first is available in', time: until },
  });
});

test('usage that was not refreshed for longer than it takes is mentioned, of paused accounts it is not', () => {
  const silent = account({ usage_observed_at: minutesAgo(31) });
  const paused = account({ usage_observed_at: minutesAgo(300), status: 'paused' });
  expect(texts({ accounts: [account(), silent, paused] })).toEqual([
    ['warn', 'ada@example.com has not reported usage recently'],
  ]);
  expect(texts({ accounts: [silent], refreshSeconds: 3_600 })).toEqual([]);
  expect(texts({ accounts: [account({ usage_observed_at: null })] })).toEqual([
    ['warn', 'ada@example.com has not reported usage yet'],
  ]);
});

test('an account without a token to renew its sign-in needs one', () => {
  const auth = { ...account().auth, refresh: { expires_at: null, state: 'missing' } };
  expect(texts({ accounts: [account({ auth })] })).toEqual([['bad', 'ada@example.com must sign in again']]);
});

test('keys are mentioned by the limit that is nearest, what is worst first', () => {
  const near = key([{ current_value: 100 }, { current_value: 3_300, max_value: 4_000 }]);
  const reached = key([{ current_value: 3_000, reserved_value: 1_000 }], { name: 'ci' });
  expect(about({ keys: [near, reached] })).toEqual([
    expect.objectContaining({
      tone: 'bad',
      text: 'The key ci has reached its limit',
      detail: expect.stringContaining('100 %'),
    }),
    {
      tone: 'warn',
      text: 'The key laptop is near its limit',
      detail: '4,000 tokens a day, 83 % used',
      at: { words: 'resets in', time: '2026-01-16T12:00:00Z', as: 'left' },
      action: { label: 'View', href: '/api-keys?key=11111111-1111-4111-8111-111111111111' },
    },
  ]);
  expect(about({ keys: [key([{ current_value: 4_000 }], { is_active: false })] })).toEqual([]);
});

test('keys that have expired or soon will are mentioned', () =>
  expect(
    texts({
      keys: [
        key([], { name: 'old', expires_at: minutesAgo(5) }),
        key([], { name: 'soon', expires_at: '2026-01-20T00:00:00Z' }),
        key([], { name: 'later', expires_at: '2026-03-01T00:00:00Z' }),
      ],
    }),
  ).toEqual([
    ['warn', 'The key old has expired'],
    ['warn', 'The key soon expires soon'],
  ]));
