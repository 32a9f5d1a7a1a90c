import { expect, test } from 'vitest';
import { activeAccount } from '#lib/accounts/activeAccount.support.ts';
import type { Schemas } from '#lib/api/client.ts';
import type { Key, Limit } from '../api-keys/limits.ts';
import { attentionItems, type ServiceState } from './attention.ts';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

const account = (changes: Partial<Schemas['Account']> = {}) =>
  activeAccount({ usage_observed_at: minutesAgo(1), ...changes });
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
  regions: null,
  expires_at: null,
  is_active: true,
  created_at: '2026-01-01T00:00:00Z',
  last_used_at: null,
  owner: null,
  team: null,
  limits: limits.map((limit, id) => ({
    id,
    limit_type: 'total_tokens',
    limit_window: 'daily',
    max_value: 4_000,
    model_filter: null,
    on_exceeded: 'finish',
    reset_at: '2026-01-16T12:00:00Z',
    current_value: 0,
    reserved_value: 0,
    ...limit,
  })),
  ...changes,
});

const itemsFor = (known: Partial<ServiceState>) =>
  attentionItems({ accounts: [account()], keys: [], refreshSeconds: 60, now: NOW, ...known });
const texts = (known: Partial<ServiceState>) => itemsFor(known).map(({ tone, text }) => [tone, text]);

test('reports an account whose attempts fail, with its last failure', () => {
  const failure = {
    at: '2026-01-15T11:58:00Z',
    class: 'provider_error',
    code: null,
    provider_status: 500,
    errno: null,
    request_id: 'req_1',
  };
  const health = { ...account().health, attempts: 8, failures: 6, failure_rate: 75, last_failure: failure };
  const failing = account({ health: { ...health, state: 'failing' } });
  expect(itemsFor({ accounts: [failing] })).toMatchObject([
    {
      tone: 'bad',
      text: 'ada@example.com is failing',
      detail: '6 of the last 8 attempts failed: provider error (status 500)',
      at: { label: 'last failure', time: failure.at, as: 'ago' },
    },
  ]);
  expect(itemsFor({ accounts: [account({ health: { ...health, state: 'healthy' } })] })).toEqual([]);
  expect(
    texts({ accounts: [{ ...failing, availability: { state: 'paused', reason: null, until: null } }] }),
  ).not.toContain('ada@example.com is failing');
});

test('reports nothing for a healthy service', () => {
  expect(itemsFor({ keys: [key([{ current_value: 3_000 }])] })).toEqual([]);
  expect(itemsFor({ accounts: [] })).toEqual([]);
  const resting = account({ availability: { state: 'quota_exceeded', reason: null, until: '2026-01-15T15:00:00Z' } });
  expect(itemsFor({ accounts: [account(), resting] })).toEqual([]);
});

test('reports a deactivated account with the reason and a link to sign in again', () =>
  expect(itemsFor({ accounts: [account(), deactivated('grace@example.com')] })).toEqual([
    {
      tone: 'bad',
      text: 'grace@example.com is deactivated',
      detail: 'the provider no longer knows this account',
      at: null,
      action: {
        label: 'Sign in again',
        href: '/accounts?sign-in=provider-1_abcd1234',
        write: 'POST /api/oauth/start',
      },
    },
  ]));

test('reports many accounts with the same problem as one line', () =>
  expect(
    texts({ accounts: [account(), ...['a', 'b', 'c', 'd'].map((name) => deactivated(`${name}@example.com`))] }),
  ).toEqual([['bad', '4 accounts are deactivated']]));

test('reports when no account can serve, and until when', () => {
  const until = '2026-01-15T15:00:00Z';
  const spent = account({ availability: { state: 'quota_exceeded', reason: null, until } });
  expect(itemsFor({ accounts: [spent, deactivated('grace@example.com')] })[0]).toMatchObject({
    tone: 'bad',
    text: 'No account can serve requests',
    at: { label: 'the first is available in', time: until },
  });
});

test('reports outdated usage of active accounts', () => {
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

test('reports an account without a refresh token', () => {
  const auth = { ...account().auth, refresh: { expires_at: null, state: 'missing' } };
  expect(texts({ accounts: [account({ auth })] })).toEqual([['bad', 'ada@example.com must sign in again']]);
});

test('reports keys by their fullest limit, worst first', () => {
  const near = key([{ current_value: 100 }, { current_value: 3_300, max_value: 4_000 }]);
  const reached = key([{ current_value: 4_400, reserved_value: 1_000 }], { name: 'ci' });
  expect(itemsFor({ keys: [near, reached] })).toEqual([
    expect.objectContaining({
      tone: 'bad',
      text: 'The key ci has reached its limit',
      detail: expect.stringContaining('135 % used'),
    }),
    {
      tone: 'warn',
      text: 'The key laptop is near its limit',
      detail: '4,000 tokens a day, 83 % used',
      at: { label: 'resets in', time: '2026-01-16T12:00:00Z', as: 'left' },
      action: { label: 'View', href: '/api-keys?key=11111111-1111-4111-8111-111111111111' },
    },
  ]);
  expect(itemsFor({ keys: [key([{ current_value: 4_000 }], { is_active: false })] })).toEqual([]);
});

test('reports keys that have expired or expire soon', () =>
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
