import { expect, test } from 'vitest';
import type { Schemas } from '#lib/api/client.ts';
import { accountStatusOf, ambiguousEmails, byUrgency, matches, tokenStatusOf, windowsOf } from './accountStatus.ts';

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

test('shows why an account cannot serve and until when', () => {
  expect(accountStatusOf(inState('available'))).toMatchObject({ label: 'Active', tone: 'good' });
  expect(accountStatusOf(inState('paused', 'paused by an operator'))).toMatchObject({
    label: 'Paused',
    tone: 'neutral',
  });
  expect(accountStatusOf(inState('rate_limited', 'the primary window is used up', '2026-01-15T15:00:00Z'))).toEqual({
    label: 'Rate-limited',
    tone: 'warn',
    detail: 'The primary window is used up',
    until: '2026-01-15T15:00:00Z',
  });
  const gone = { ...inState('deactivated', 'why'), deactivation_reason: 'The refresh token was used twice' };
  expect(accountStatusOf(gone)).toMatchObject({ tone: 'bad', detail: 'The refresh token was used twice' });
});

test('shows whether the tokens still work', () => {
  const missing = { expires_at: null, state: 'missing' };
  const expired = { expires_at: null, state: 'expired' };
  const { auth } = account();
  expect(tokenStatusOf(account()).label).toBe('Valid');
  expect(tokenStatusOf(account({ auth: { ...auth, access: expired } })).label).toBe('Refresh due');
  expect(tokenStatusOf(account({ status: 'deactivated', auth: { ...auth, access: expired } })).label).toBe('Rejected');
  expect(tokenStatusOf(account({ auth: { ...auth, refresh: missing } })).label).toBe('Missing');
});

test('does not show an unreported window as full', () => {
  const { primary, secondary } = windowsOf(account());
  expect([primary.isKnown, secondary.isKnown]).toEqual([true, false]);
  expect(windowsOf(account({ usage_observed_at: null })).primary.isKnown).toBe(false);
});

test('sorts accounts that need attention first', () => {
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

test('finds e-mail addresses that several accounts share', () => {
  const list = [account(), account({ account_id: 'other' }), account({ email: 'grace@example.com' })];
  expect([...ambiguousEmails(list)]).toEqual(['ada@example.com']);
});

test('finds accounts by e-mail address, name, ID and plan', () => {
  expect(['ADA@', 'ada', 'abcd1234', 'plus', ' '].map((search) => matches(account(), search))).not.toContain(false);
  expect(matches(account(), 'grace')).toBe(false);
});
