import type { Schemas } from '#lib/api/client.ts';

type Account = Schemas['Account'];

const stored = { expires_at: null, state: 'stored' };
/** An account that serves, with 40 % and 80 % of its windows left. */
export const activeAccount = (changes: Partial<Account> = {}): Account => ({
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
  proxy: null,
  availability: { state: 'available', reason: null, until: null },
  health: { state: 'unknown', failure_rate: null, attempts: 0, failures: 0, window_minutes: 60, last_failure: null },
  auth: { access: { expires_at: null, state: 'valid' }, refresh: stored, id_token: stored },
  ...changes,
});
