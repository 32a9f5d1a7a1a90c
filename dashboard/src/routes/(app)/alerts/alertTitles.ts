import type { Schemas } from '#lib/api/client.ts';

export type AlertRule = Schemas['Alert']['rule'];

/** How alerts are called; the record has every rule that the service knows. */
export const ALERT_TITLES: Readonly<Record<AlertRule, string>> = {
  account_lost: 'Account lost',
  pool_low: 'Few accounts available',
  limit_80: 'Limit at 80 %',
  limit_100: 'Limit reached',
  error_rate: 'Many requests fail',
  store_away: 'Event log takes no events',
  outbox_filling: 'Outbox is filling',
  integrity_finding: 'Integrity finding',
};

export const ALERT_RULES = Object.keys(ALERT_TITLES) as readonly AlertRule[];
