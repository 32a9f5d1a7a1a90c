import { expect, test } from 'vitest';
import type { Schemas } from '#lib/api/client.ts';
import { ambiguousEmails, byUrgency, matches, standingOf, tokenHealthOf, windowsOf } from './accountStatus.ts';

type Account = Schemas['Account'];

const stored = { expires_at: null, state: 'stored' };
const account = (changes: Partial<Account> = {}): Account => ({
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
  usage_observed_at: '2026-01-15T12:00:00Z',
  deactivation_reason: null,
  availability: { state: 'available', reason: null, until: null },
  auth: { access: { expires_at: null, state: 'valid' }, refresh: stored, id_token: stored },
  ...changes,
});

const inState = (state: Account['availability']['state'], reason: string | null = null, until: string | null = null) =>
  account({ availability: { state, reason, until } });

test('an account says why it cannot serve, and when it can again', () => {
  expect(standingOf(inState('available'))).toMatchObject({ label: 'Active', tone: 'good' });
  expect(standingOf(inState('paused', 'paused by an operator'))).toMatchObject({ label: 'Paused', tone: 'neutral' });
  expect(standingOf(inState('rate_limited', 'the primary window is used up', '2026-01-15T15:00:00Z'))).toEqual({
    label: 'Rate-limited',
    tone: 'warn',
    detail: 'The primary window is used up',
    until: '2026-01-15T15:00:00Z',
  });
  const gone = { ...inState('deactivated', 'why'), deactivation_reason: 'The refresh token was used twice' };
  expect(standingOf(gone)).toMatchObject({ tone: 'bad', detail: 'The refresh token was used twice' });
});

test('tokens are judged by whether the service can still sign in', () => {
  const missing = { expires_at: null, state: 'missing' };
  const expired = { expires_at: null, state: 'expired' };
  const { auth } = account();
  expect(tokenHealthOf(account()).label).toBe('Valid');
  expect(tokenHealthOf(account({ auth: { ...auth, access: expired } })).label).toBe('Due');
  expect(tokenHealthOf(account({ status: 'deactivated', auth: { ...auth, access: expired } })).label).toBe('Refused');
  expect(tokenHealthOf(account({ auth: { ...auth, refresh: missing } })).label).toBe('Missing');
});

test('a window that the provider has said nothing about is not shown as full', () => {
  const { primary, secondary } = windowsOf(account());
  expect([primary.isKnown, secondary.isKnown]).toEqual([true, false]);
  expect(windowsOf(account({ usage_observed_at: null })).primary.isKnown).toBe(false);
});

test('those that need somebody come first', () => {
  const list = (['available', 'paused', 'deactivated', 'cooling', 'quota_exceeded', 'rate_limited'] as const).map(
    (state) => inState(state),
  );
  expect(list.sort(byUrgency).map(({ availability }) => availability.state)).toEqual([
    'deactivated',
    'quota_exceeded',
    'rate_limited',
    'cooling',
    'available',
    'paused',
  ]);
});

test('accounts that share an e-mail are known, so that their ids are shown', () => {
  const list = [account(), account({ account_id: 'other' }), account({ email: 'grace@example.com' })];
  expect([...ambiguousEmails(list)]).toEqual(['ada@example.com']);
});

test('accounts are found by e-mail, name, id and plan', () => {
  expect(['ADA@', 'ada', 'abcd1234', 'plus', ' '].map((search) => matches(account(), search))).not.toContain(false);
  expect(matches(account(), 'grace')).toBe(false);
});
