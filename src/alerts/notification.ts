import { createHmac } from 'node:crypto';
import { ALERT_TITLES, type WebhookFormat } from '../domain/alert/rules.ts';
import type { Notice } from '../domain/alert/state.ts';
import { iso } from '../domain/core/brands.ts';

/** The content of a notification, without the secret that signs it. */
export interface NotificationContent {
  /** The same at each attempt, so that receivers can tell a repetition. */
  readonly id: string;
  readonly body: string;
}

/** Where a person reads more. */
export interface NotificationContext {
  /** The address under which people open the dashboard, without a slash at its end. */
  readonly publicUrl: string;
}

/** The notification of a notice in the form that a webhook wants. */
export function notificationOf(
  notice: Pick<Notice, 'alert' | 'isRecovery'>,
  format: WebhookFormat,
  { publicUrl }: NotificationContext,
): NotificationContent {
  const { alert, isRecovery } = notice;
  const { id, rule, subject, node, text, raised, resolved } = alert;
  const type = isRecovery ? 'alert.resolved' : 'alert.raised';
  const link = linkFrom(publicUrl);
  const title = ALERT_TITLES[rule];
  const body =
    format === 'slack'
      ? { text: slackText(`${isRecovery ? 'Over' : 'Alert'}: ${title}`, isRecovery ? '' : text, link) }
      : {
          type,
          timestamp: iso((isRecovery ? resolved?.at : undefined) ?? raised.at),
          data: {
            id,
            rule,
            title,
            subject,
            node,
            text,
            raised_at: iso(raised.at),
            resolved_at: resolved && isRecovery ? iso(resolved.at) : null,
            url: link,
          },
        };
  return { id: `${id}.${isRecovery ? 'resolved' : 'raised'}`, body: JSON.stringify(body) };
}

/** What a person gets who asks whether a webhook works. */
export function testNotification(
  name: string,
  id: string,
  format: WebhookFormat,
  at: string,
  { publicUrl }: NotificationContext,
): NotificationContent {
  const text = `This is a test of the webhook ${name}. Nothing is wrong.`;
  const body =
    format === 'slack'
      ? { text: slackText('Test', text, linkFrom(publicUrl)) }
      : { type: 'alert.test', timestamp: at, data: { text, url: linkFrom(publicUrl) } };
  return { id: `${id}.test`, body: JSON.stringify(body) };
}

/** Slack reads `&`, `<` and `>` as markup (https://docs.slack.dev/messaging/formatting-message-text). */
const slackText = (title: string, text: string, link: string): string =>
  [`*${escapeSlack(title)}*`, escapeSlack(text), `<${escapeSlack(link)}>`].filter((part) => part !== '').join('\n');
const escapeSlack = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** What alerts began, ended and were delivered. */
const linkFrom = (publicUrl: string) => `${publicUrl}/history?subject=alerts-main`;

const SECRET_PREFIX = 'whsec_';

/** The secret of a webhook as operators see it. @param bytes 24 random bytes or more */
export const webhookSecretOf = (bytes: Uint8Array): string =>
  `${SECRET_PREFIX}${Buffer.from(bytes).toString('base64')}`;

/**
 * Headers of a notification as Standard Webhooks defines them (https://www.standardwebhooks.com): an HMAC-SHA256 over id, time and body.
 * @param secret from `webhookSecretOf` @param nowMs milliseconds since 1970
 */
export function signedHeaders(
  { id, body }: NotificationContent,
  secret: string,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
