import { expect, test } from 'vitest';
import { at, later, NOW, specification, uuid } from '../../../test/support/specification.ts';
import type { Sealed } from '../core/brands.ts';
import { MAX_WEBHOOKS, alert as rules } from './decide.ts';
import {
  AlertDelivered,
  AlertDeliveryFailed,
  type AlertEvent,
  AlertRaised,
  AlertResolved,
  WebhookAdded,
  WebhookRemoved,
} from './events.ts';
import type { AlertRule } from './rules.ts';
import { noticesFor } from './state.ts';

const alerts = specification(rules);
const about = (id: number, key = 'pool_low') =>
  ({
    alertId: uuid(id),
    rule: 'pool_low',
    key,
    subject: null,
    node: null,
    text: '1 of 10 accounts can serve.',
  }) as const;
const raised = (id: number, key?: string) => AlertRaised(about(id, key));
const resolved = (id: number, key = 'pool_low') => AlertResolved({ alertId: uuid(id), rule: 'pool_low', key });
const hook = {
  ...{ webhookId: uuid(9), name: 'on call', url: 'sealed.a' as Sealed, origin: 'https://hooks.example' },
  ...{ secret: 'sealed.b' as Sealed, format: 'json' as const, rules: [] },
};
const added = (id = 9, more: { rules?: AlertRule[] } = {}) =>
  WebhookAdded({ ...hook, rules: [], webhookId: uuid(id), ...more });
const delivery = (id: number, isRecovery = false) => ({ webhookId: uuid(9), alertId: uuid(id), isRecovery });
const took = (id: number, isRecovery = false) =>
  AlertDelivered({ ...delivery(id, isRecovery), attempts: 1, status: 200 });
type Given = AlertEvent[];
const waiting = (...events: Given) => {
  const state = alerts.given(...events).state();
  const webhook = state.webhooks.get(uuid(9));
  return webhook && noticesFor(webhook, state).map((notice) => [notice.alert.id.at(-1), notice.isRecovery]);
};

test('an episode begins once, whoever sees the condition, and ends once', () => {
  const raise = { type: 'RaiseAlert', ...about(1) } as const;
  alerts.when(raise).then(raised(1));
  alerts
    .given(raised(1))
    .when({ ...raise, alertId: uuid(2) })
    .then();
  alerts.given(raised(1)).when({ type: 'ResolveAlert', key: 'pool_low' }).then(resolved(1));
  alerts.given(raised(1), resolved(1)).when({ type: 'ResolveAlert', key: 'pool_low' }).then();
  alerts
    .given(raised(1), resolved(1))
    .when({ ...raise, alertId: uuid(2) })
    .then(raised(2));
});

test('a webhook is notified of what begins and ends since it was added, in order, until it took it', () => {
  expect(waiting(raised(1), added(), raised(2, 'b'), resolved(1), raised(3, 'c'))).toEqual([
    ['2', false],
    ['1', true],
    ['3', false],
  ]);
  const four = [added(), raised(1), resolved(1), raised(2)] as const;
  expect(waiting(...four, took(1))).toEqual([
    ['1', true],
    ['2', false],
  ]);
  expect(waiting(...four, took(1), took(1, true))).toEqual([['2', false]]);
  expect(waiting(...four, took(2))).toEqual([]);
});

test('a webhook is notified of its rules only', () =>
  expect(waiting(added(9, { rules: ['account_lost'] }), raised(1), resolved(1))).toEqual([]));

test('a delivery is recorded once, and not for a webhook that was removed', () => {
  const record = { type: 'RecordDelivery', ...delivery(1), attempts: 1, status: 200 } as const;
  alerts.given(added(), raised(1)).when(record).then(took(1));
  alerts.given(added(), raised(1), took(1)).when(record).then();
  alerts
    .given(added(), raised(1), WebhookRemoved({ webhookId: uuid(9), name: 'on call' }))
    .when(record)
    .then();
  alerts.given(added()).when(record).then();
});

test('failures are recorded once until the webhook takes a notification again', () => {
  const failure = { ...delivery(1), reason: 'it responded with status 500' };
  const fail = { type: 'RecordFailure', ...failure } as const;
  const failed = AlertDeliveryFailed(failure);
  alerts.given(added(), raised(1)).when(fail).then(failed);
  alerts.given(added(), raised(1), failed).when(fail).then();
  alerts.given(added(), raised(1), failed, took(1), raised(2, 'b')).when(fail).then(failed);
  const { webhooks } = alerts.given(added(), raised(1), at(later(5), failed)).state();
  expect(webhooks.get(uuid(9))?.failing).toEqual({ since: later(5), reason: failure.reason });
  expect(
    alerts
      .given(added(), raised(1), failed, at(NOW, took(1)))
      .state()
      .webhooks.get(uuid(9))?.failing,
  ).toBeNull();
});

test('alerts that are over are kept as long as a webhook has not taken them', () => {
  const many = Array.from({ length: 300 }, (_, index) => [raised(index + 10), resolved(index + 10)]).flat();
  expect(alerts.given(...many).state().ended).toHaveLength(200);
  expect(alerts.given(added(), ...many).state().ended).toHaveLength(300);
  const removed = WebhookRemoved({ webhookId: uuid(9), name: 'on call' });
  expect(alerts.given(added(), ...many, removed).state().ended).toHaveLength(200);
});

test('refuses webhooks without a name and beyond the maximum, and removes those that exist', () => {
  const add = { type: 'AddWebhook', ...hook } as const;
  alerts.when({ ...add, name: ' on call ' }).then(added());
  for (const name of ['', ' ', 'x'.repeat(101)]) alerts.when({ ...add, name }).refuses('invalid_webhook');
  const full = Array.from({ length: MAX_WEBHOOKS }, (_, index) => added(index + 10));
  alerts
    .given(...full)
    .when(add)
    .refuses('invalid_webhook');
  const remove = { type: 'RemoveWebhook', webhookId: uuid(9) } as const;
  alerts
    .given(added())
    .when(remove)
    .then(WebhookRemoved({ webhookId: uuid(9), name: 'on call' }));
  alerts.when(remove).refuses('webhook_not_found');
});
