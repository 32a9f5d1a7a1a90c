import type { Sealed } from '../core/brands.ts';
import type { Decider } from '../core/decider.ts';
import { refuse } from '../core/refusal.ts';
import {
  AlertDelivered,
  AlertDeliveryFailed,
  type AlertEvent,
  AlertRaised,
  AlertResolved,
  WebhookAdded,
  WebhookRemoved,
} from './events.ts';
import type { AlertRule, WebhookFormat } from './rules.ts';
import { type AlertState, evolve, initialState, positionOf } from './state.ts';

interface Delivery {
  readonly webhookId: string;
  readonly alertId: string;
  readonly isRecovery: boolean;
}

export type AlertCommand =
  | {
      readonly type: 'RaiseAlert';
      readonly alertId: string;
      readonly rule: AlertRule;
      readonly key: string;
      readonly subject: string | null;
      readonly node: string | null;
      readonly text: string;
    }
  | { readonly type: 'ResolveAlert'; readonly key: string }
  | {
      readonly type: 'AddWebhook';
      readonly webhookId: string;
      readonly name: string;
      readonly url: Sealed;
      readonly origin: string;
      readonly secret: Sealed;
      readonly format: WebhookFormat;
      readonly rules: readonly AlertRule[];
    }
  | { readonly type: 'RemoveWebhook'; readonly webhookId: string }
  | ({ readonly type: 'RecordDelivery'; readonly attempts: number; readonly status: number } & Delivery)
  | ({ readonly type: 'RecordFailure'; readonly reason: string } & Delivery);

/** Every alert is sent to each of them. */
export const MAX_WEBHOOKS = 20;
export const MAX_WEBHOOK_NAME_LENGTH = 100;
/** Of alerts that last: what goes wrong for more subjects at once is said for these. */
const MAX_OPEN = 1_000;

/**
 * All alerts are one stream, so that of several nodes that see a condition one begins its episode, and each notification has one
 * record. What is so already gives no event.
 * @throws Refusal `invalid_webhook` | `webhook_not_found`
 */
export function decide(command: AlertCommand, state: AlertState): AlertEvent[] {
  const { open, webhooks } = state;
  switch (command.type) {
    case 'RaiseAlert': {
      const { type: _, ...alert } = command;
      return open.has(alert.key) || open.size >= MAX_OPEN ? [] : [AlertRaised(alert)];
    }
    case 'ResolveAlert': {
      const alert = open.get(command.key);
      return alert ? [AlertResolved({ alertId: alert.id, rule: alert.rule, key: alert.key })] : [];
    }
    case 'AddWebhook': {
      const { type: _, name: given, rules, ...webhook } = command;
      const name = given.trim();
      if (name === '' || name.length > MAX_WEBHOOK_NAME_LENGTH) {
        refuse('invalid_webhook', { param: 'name', problem: `must have 1 to ${MAX_WEBHOOK_NAME_LENGTH} characters` });
      }
      if (webhooks.size >= MAX_WEBHOOKS) {
        refuse('invalid_webhook', {
          problem: `there are ${MAX_WEBHOOKS} webhooks, which is the maximum: remove one first`,
        });
      }
      return [WebhookAdded({ ...webhook, name, rules: [...new Set(rules)] })];
    }
    case 'RemoveWebhook': {
      const { webhookId } = command;
      const { name } = webhooks.get(webhookId) ?? refuse('webhook_not_found', { webhookId });
      return [WebhookRemoved({ webhookId, name })];
    }
    case 'RecordDelivery': {
      const { type: _, ...delivery } = command;
      const webhook = webhooks.get(delivery.webhookId);
      const position = positionOf(state, delivery);
      if (!webhook || position === undefined || position <= webhook.delivered) return [];
      return [AlertDelivered(delivery)];
    }
    case 'RecordFailure': {
      const { type: _, ...failure } = command;
      const webhook = webhooks.get(failure.webhookId);
      return webhook && !webhook.failing ? [AlertDeliveryFailed(failure)] : [];
    }
  }
}

/** Alerts, and the webhooks that are notified of them. */
export const alert: Decider<AlertState, AlertCommand, AlertEvent> = { decide, evolve, initialState };
