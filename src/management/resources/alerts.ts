import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { signedHeaders, testNotification, webhookSecretOf } from '../../alerts/notification.ts';
import { NotTaken, type PostNotification } from '../../alerts/postNotification.ts';
import { MAX_WEBHOOK_NAME_LENGTH } from '../../domain/alert/decide.ts';
import { alertRules, webhookFormats } from '../../domain/alert/rules.ts';
import type { Alert, Webhook } from '../../domain/alert/state.ts';
import { iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { ForbiddenAddress, requireAllowedHost } from '../../lib/outgoing/forbiddenAddresses.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { webhookKeyOf } from '../accounts/destroyKeysOfRemovedWebhooks.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { ADMINISTRATORS, READERS } from '../http/roles.ts';

const MAX_URL_LENGTH = 2_000;

const AddWebhook = wireObject({
  name: z.string().max(MAX_WEBHOOK_NAME_LENGTH),
  url: z.string().max(MAX_URL_LENGTH).describe('http or https; not shown again, because such URLs are secrets'),
  format: z.enum(webhookFormats).default('json').describe('slack: for an incoming webhook of Slack'),
  rules: z.array(z.enum(alertRules)).max(alertRules.length).default([]).describe('Empty: all'),
});

const AlertEntry = z
  .object({
    id: z.string(),
    rule: z.enum(alertRules),
    subject: z.string().nullable().describe('As History names it; null: no single one'),
    node: z.string().nullable().describe('null: all nodes'),
    text: z.string(),
    raised_at: z.iso.datetime(),
    resolved_at: z.iso.datetime().nullable().describe('null: it lasts'),
    position: z.int().describe('Of the event in History that began it'),
  })
  .meta({ id: 'Alert' });

const webhookEntry = z.object({
  id: z.string(),
  name: z.string(),
  origin: z.string().describe('Scheme, host and port of its URL'),
  format: z.enum(webhookFormats),
  rules: z.array(z.enum(alertRules)),
  added_at: z.iso.datetime(),
  delivered_at: z.iso.datetime().nullable().describe('When it last took a notification of an alert'),
  failing_since: z.iso.datetime().nullable(),
  failure: z.string().nullable().describe('Why it does not take notifications'),
});
const WebhookEntry = webhookEntry.meta({ id: 'Webhook' });
const WithSecret = webhookEntry
  .extend({
    secret: z
      .string()
      .optional()
      .describe(
        'Verifies notifications (Standard Webhooks). Returned once; absent when the request repeats an Idempotency-Key',
      ),
  })
  .meta({ id: 'WebhookWithSecret' });

const routes = {
  list: describeRoute({
    roles: READERS,
    at: 'past',
    summary:
      'List the alerts that last, and the last ones that are over; the latest first. They begin once there is a webhook',
    response: z.object({ alerts: z.array(AlertEntry) }),
  }),
  webhooks: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'List the webhooks that are notified of alerts',
    response: z.object({ webhooks: z.array(WebhookEntry) }),
  }),
  add: describeRoute({
    roles: ADMINISTRATORS,
    summary: 'Add a webhook; the response contains the secret that signs its notifications, once',
    body: AddWebhook,
    response: WithSecret,
    errors: ['invalid_webhook'],
  }),
  test: describeRoute({
    roles: ADMINISTRATORS,
    summary: 'Send a test notification to a webhook, once',
    response: z.object({
      taken: z.boolean(),
      status: z.int().nullable().describe('What it responded with, if it took the notification'),
      problem: z.string().nullable(),
    }),
    errors: ['webhook_not_found'],
  }),
  remove: describeRoute({
    roles: ADMINISTRATORS,
    summary: 'Remove a webhook and destroy its URL and secret',
    response: z.object({ status: z.literal('removed') }),
    errors: ['webhook_not_found'],
  }),
};

interface AlertOptions extends Pick<Capabilities, 'views' | 'commands' | 'vault' | 'ids' | 'now'> {
  readonly postNotification: PostNotification;
  readonly allowsLinkLocal: boolean;
  readonly publicUrl: string;
}

const TEST_MS = 12_000;

/** Alerts and webhooks (docs/guide.md#alerts). */
export const alertRoutes = ({ views, commands, vault, ids, now, ...options }: AlertOptions) =>
  newRouter('/api/alerts')
    .get('/', routes.list, async (ctx) => {
      const { open, ended } = (await views.asOf(ctx)).state.alerts;
      const byLatest = (one: Alert, other: Alert) => other.raised.position - one.raised.position;
      return { alerts: [...[...open.values()].sort(byLatest), ...ended.toReversed()].map(alertEntry) };
    })
    .get('/webhooks', routes.webhooks, async (ctx) => ({
      webhooks: [...(await views.asOf(ctx)).state.alerts.webhooks.values()].map(renderWebhook),
    }))
    .post('/webhooks', routes.add, async (ctx) => {
      const { name, url: text, format, rules } = await readBody(ctx, AddWebhook, 'invalid_webhook');
      const url = readUrl(text, options.allowsLinkLocal);
      const webhookId = ctx.state.cause.write?.resourceId ?? ids.newId();
      const secret = webhookSecretOf(randomBytes(32));
      const keyId = await vault.createKey(webhookKeyOf(webhookId));
      const sealed = { url: vault.seal(keyId, url.href), secret: vault.seal(keyId, secret) };
      const command = { type: 'AddWebhook', webhookId, name, ...sealed, origin: url.origin, format, rules } as const;
      const { state, isRepeat } = await commands.handle(subjects.alert, 'main', command, ctx.state.cause);
      const shown = renderWebhook(state.webhooks.get(webhookId) ?? refuse('webhook_not_found', { webhookId }));
      return isRepeat ? shown : { ...shown, secret };
    })
    .post('/webhooks/:id/test', routes.test, async (ctx) => {
      const webhookId = ctx.params.id ?? '';
      const webhook = views.current.alerts.webhooks.get(webhookId) ?? refuse('webhook_not_found', { webhookId });
      const { name, format } = webhook;
      const content = testNotification(name, ids.newId(), format, iso(now()), options);
      const headers = signedHeaders(content, vault.open(webhook.secret), now());
      const notification = { url: vault.open(webhook.url), body: content.body, headers };
      try {
        const status = await options.postNotification(notification, AbortSignal.timeout(TEST_MS));
        return { taken: true, status, problem: null };
      } catch (error) {
        if (!(error instanceof NotTaken)) throw error;
        return { taken: false, status: null, problem: error.message };
      }
    })
    .delete('/webhooks/:id', routes.remove, async (ctx) => {
      const webhookId = ctx.params.id ?? '';
      await commands.handle(subjects.alert, 'main', { type: 'RemoveWebhook', webhookId }, ctx.state.cause);
      await vault.destroy(webhookKeyOf(webhookId));
      return { status: 'removed' };
    })
    .routes();

/** @throws Refusal `invalid_webhook` */
function readUrl(text: string, allowsLinkLocal: boolean): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    return refuse('invalid_webhook', { param: 'url', problem: 'must be an http or https URL' });
  }
  try {
    if (!allowsLinkLocal) requireAllowedHost(url);
    return url;
  } catch (error) {
    if (!(error instanceof ForbiddenAddress)) throw error;
    return refuse('invalid_webhook', { param: 'url', problem: `is refused: ${error.message}` });
  }
}

const alertEntry = ({ id, rule, subject, node, text, raised, resolved }: Alert): z.infer<typeof AlertEntry> => ({
  ...{ id, rule, subject, node, text },
  raised_at: iso(raised.at),
  resolved_at: resolved && iso(resolved.at),
  position: raised.position,
});

const renderWebhook = (webhook: Webhook): z.infer<typeof WebhookEntry> => {
  const { id, name, origin, format, rules, addedAt, deliveredAt, failing } = webhook;
  return {
    ...{ id, name, origin, format, rules: [...rules] },
    added_at: iso(addedAt),
    delivered_at: deliveredAt && iso(deliveredAt),
    failing_since: failing && iso(failing.since),
    failure: failing?.reason ?? null,
  };
};
