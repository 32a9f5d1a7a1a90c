import { expect, test } from 'vitest';
import type { Schemas } from '#lib/api/client.ts';
import {
  accountStatusOf,
  ambiguousEmails,
  byUrgency,
  lastFailureText,
  matches,
  tokenStatusOf,
  windowsOf,
} from './accountStatus.ts';
import { activeAccount } from './activeAccount.support.ts';

type Account = Schemas['Account'];

const health = (state: Account['health']['state'], failures: number, attempts: number): Account['health'] => ({
  state,
  failure_rate: attempts === 0 ? null : (failures * 100) / attempts,
  attempts,
  failures,
  window_minutes: 60,
  last_failure: null,
});
const account = (changes: Partial<Account> = {}) => activeAccount({ health: health('healthy', 0, 12), ...changes });

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

test('shows an account that gets requests and fails them as failing', () => {
  const failing = health('failing', 3, 4);
  expect(accountStatusOf(account({ health: failing }))).toEqual({
    tone: 'bad',
    label: 'Failing',
    detail: '3 of the last 4 attempts failed',
    until: null,
  });
  const cooling = { ...inState('cooling', 'provider_error', '2026-01-15T12:01:00Z'), health: failing };
  expect(accountStatusOf(cooling)).toMatchObject({ label: 'Failing', until: '2026-01-15T12:01:00Z' });
  expect(accountStatusOf({ ...inState('paused'), health: failing }).label).toBe('Paused');
  expect(accountStatusOf(account({ health: health('healthy', 3, 20) })).label).toBe('Active');
});

test('names the last failure of an account', () => {
  const last = { at: '2026-01-15T12:00:00Z', class: 'provider_error', code: null, errno: null, request_id: 'req_1' };
  expect(lastFailureText(health('healthy', 0, 0))).toBeNull();
  expect(lastFailureText({ ...health('failing', 3, 3), last_failure: { ...last, provider_status: 500 } })).toBe(
    'provider error (status 500)',
  );
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
  list.push(account({ account_id: 'failing', health: health('failing', 3, 3) }));
  expect(
    list
      .sort(byUrgency)
      .map(({ account_id, availability }) => (account_id === 'failing' ? account_id : availability.state)),
  ).toEqual(['deactivated', 'failing', 'quota_exceeded', 'rate_limited', 'cooling', 'available', 'paused']);
});

test('finds e-mail addresses that several accounts share', () => {
  const list = [account(), account({ account_id: 'other' }), account({ email: 'grace@example.com' })];
  expect([...ambiguousEmails(list)]).toEqual(['ada@example.com']);
});

test('finds accounts by e-mail address, name, ID and plan', () => {
  expect(['ADA@', 'ada', 'abcd1234', 'plus', ' '].map((search) => matches(account(), search))).not.toContain(false);
  expect(matches(account(), 'grace')).toBe(false);
});
