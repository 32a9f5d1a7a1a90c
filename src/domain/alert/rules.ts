import { schema } from '../core/schema.ts';

/** What alerts are about. Names are stored in events: they never change. */
export const alertRules = [
  'account_lost',
  'pool_low',
  'limit_80',
  'limit_100',
  'error_rate',
  'store_away',
  'outbox_filling',
  'integrity_finding',
] as const;
export type AlertRule = (typeof alertRules)[number];
export const alertRuleSchema = schema((z) => z.enum(alertRules));

/** How each is called in messages. */
export const ALERT_TITLES: Readonly<Record<AlertRule, string>> = {
  account_lost: 'Account lost',
  pool_low: 'Few accounts available',
  limit_80: 'Limit at 80 %',
  limit_100: 'Limit reached',
  error_rate: 'Many requests fail',
  store_away: 'The event log takes no events',
  outbox_filling: 'The outbox is filling',
  integrity_finding: 'Integrity finding',
};

/** Forms of the body of a notification. Names are stored in events. */
export const webhookFormats = ['json', 'slack'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];
export const webhookFormatSchema = schema((z) => z.enum(webhookFormats));
