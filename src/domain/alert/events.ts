import { type EventOf, event } from '../core/event.ts';
import { sealedSchema } from '../core/schemas.ts';
import { ALERT_TITLES, alertRuleSchema, webhookFormatSchema } from './rules.ts';

/** An episode began: what the rule watches is wrong from here on, until `AlertResolved`. */
export const AlertRaised = event('AlertRaised', {
  version: 1,
  data: (z) =>
    z.object({
      alertId: z.uuid(),
      rule: alertRuleSchema(z),
      /** Names the condition: of one key at most one episode lasts, over all nodes. */
      key: z.string().min(1),
      /** As History names it, for example `account-<id>`; null where it is about no subject. */
      subject: z.string().nullable(),
      /** The node that it is about; null where it is about all. */
      node: z.string().nullable(),
      /** What is wrong, in a sentence or two. */
      text: z.string(),
    }),
  describe: ({ rule, text }) => `alert: ${ALERT_TITLES[rule]}. ${text}`,
});

/** The episode is over. */
export const AlertResolved = event('AlertResolved', {
  version: 1,
  data: (z) => z.object({ alertId: z.uuid(), rule: alertRuleSchema(z), key: z.string().min(1) }),
  describe: ({ rule, alertId }) => `alert ${alertId} is over: ${ALERT_TITLES[rule]}`,
});

/** From here on a webhook gets notifications of alerts that begin or end. */
export const WebhookAdded = event('WebhookAdded', {
  version: 1,
  data: (z) =>
    z.object({
      webhookId: z.uuid(),
      name: z.string().min(1),
      /** Paths of webhooks are secrets. */
      url: sealedSchema(z),
      /** Scheme, host and port. */
      origin: z.string(),
      /** Signs notifications. */
      secret: sealedSchema(z),
      format: webhookFormatSchema(z),
      /** Empty: all. */
      rules: z.array(alertRuleSchema(z)),
    }),
  describe: ({ name, origin, format, rules }) =>
    `webhook ${name} at ${origin} gets ${rules.length === 0 ? 'all alerts' : `alerts of ${rules.join(', ')}`} (${format})`,
});

export const WebhookRemoved = event('WebhookRemoved', {
  version: 1,
  data: (z) => z.object({ webhookId: z.uuid(), name: z.string() }),
  describe: ({ name }) => `webhook ${name} was removed`,
});

/** A webhook took a notification, with a status of 200 to 299. */
export const AlertDelivered = event('AlertDelivered', {
  version: 1,
  data: (z) =>
    z.object({
      webhookId: z.uuid(),
      alertId: z.uuid(),
      /** Whether it says that the alert is over. */
      isRecovery: z.boolean(),
      /** How often it was sent. */
      attempts: z.int().min(1),
      status: z.int(),
    }),
  describe: ({ webhookId, alertId, isRecovery, attempts, status }) =>
    `webhook ${webhookId} took the ${isRecovery ? 'end' : 'beginning'} of alert ${alertId} with status ${status}` +
    (attempts === 1 ? '' : ` at attempt ${attempts}`),
});

/** A webhook did not take a notification. Recorded once until it takes one again; the notification is sent again meanwhile. */
export const AlertDeliveryFailed = event('AlertDeliveryFailed', {
  version: 1,
  data: (z) =>
    z.object({
      webhookId: z.uuid(),
      alertId: z.uuid(),
      isRecovery: z.boolean(),
      reason: z.string(),
    }),
  describe: ({ webhookId, alertId, isRecovery, reason }) =>
    `webhook ${webhookId} did not take the ${isRecovery ? 'end' : 'beginning'} of alert ${alertId}: ${reason}`,
});

export type AlertEvent = EventOf<
  | typeof AlertRaised
  | typeof AlertResolved
  | typeof WebhookAdded
  | typeof WebhookRemoved
  | typeof AlertDelivered
  | typeof AlertDeliveryFailed
>;
