import type { Alert, Notice, Webhook } from '../domain/alert/state.ts';
import { noticesFor } from '../domain/alert/state.ts';
import type { Instant } from '../domain/core/brands.ts';
import type { Faults } from '../lib/faults.ts';
import { sleep } from '../lib/sleep.ts';
import type { Cause, HandleCommand } from '../state/commands/commandHandler.ts';
import { subjects } from '../state/fold/subjects.ts';
import type { HotRunner } from '../state/hotRunner.ts';
import type { Vault } from '../vault/vault.ts';
import { type NotificationContext, notificationOf, signedHeaders } from './notification.ts';
import type { PostNotification } from './postNotification.ts';

export interface DelivererOptions extends NotificationContext {
  readonly hot: Pick<HotRunner, 'state' | 'onFolded'>;
  readonly handle: HandleCommand;
  readonly cause: () => Cause;
  readonly vault: Pick<Vault, 'open'>;
  readonly post: PostNotification;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  readonly now: () => Instant;
  /** The pause after a first failure; it doubles up to `maxPauseMs`. */
  readonly firstPauseMs?: number;
  readonly maxPauseMs?: number;
}

/** Of what webhooks are waiting for, when the service stops. */
const STOP_MS = 2_000;
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 300_000;
const FAULT = 'alerts_not_delivered';

/**
 * Notifies webhooks of alerts that begin and end: each one in the order of the log, at least once, until it takes them. What each
 * has taken is in the log, so another node or the next start goes on from there. One node delivers for all.
 */
export class Deliverer {
  readonly #options: DelivererOptions;
  /** Aborts pauses, also between two attempts. */
  #wake = new AbortController();
  #isStopping = false;
  #working: Promise<unknown> = Promise.resolve();
  #stop = new AbortController();

  constructor(options: DelivererOptions) {
    this.#options = options;
    options.hot.onFolded(({ type }) => {
      if (type === 'AlertRaised' || type === 'AlertResolved' || type.startsWith('Webhook')) this.#notify();
    });
  }

  /** Delivers until the signal aborts: this node is the one that does it for all. */
  async deliver(signal: AbortSignal): Promise<void> {
    const ended = AbortSignal.any([signal, this.#stop.signal]);
    const running = new Map<string, Promise<void>>();
    this.#working = (async () => {
      while (!ended.aborted) {
        const waking = this.#wake.signal;
        for (const id of this.#options.hot.state.alerts.webhooks.keys()) {
          if (!running.has(id))
            running.set(
              id,
              this.#deliverTo(id, ended).finally(() => {
                running.delete(id);
                // One that came in this instant.
                if (this.#next(id)) this.#notify();
              }),
            );
        }
        if (this.#isStopping) break;
        await sleep(MAX_PAUSE_MS, AbortSignal.any([ended, waking]));
      }
      await Promise.all(running.values());
    })();
    await this.#working;
  }

  /** Gives webhooks 2 s for what they have not taken; they get the rest after the next start, or from another node. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#notify();
    const late = setTimeout(() => this.#stop.abort(), STOP_MS);
    await this.#working;
    clearTimeout(late);
    this.#stop.abort();
  }

  /** Sends a notification that the log does not have yet, to every webhook, once. Resolves when all have answered. */
  async sendUnrecorded(alert: Alert): Promise<void> {
    const { webhooks } = this.#options.hot.state.alerts;
    const wanting = [...webhooks.values()].filter(({ rules }) => rules.length === 0 || rules.includes(alert.rule));
    // The log will have the alert, so a webhook that does not take it gets it later.
    await Promise.allSettled(
      wanting.map((webhook) => this.#send(webhook, { alert, isRecovery: false }, this.#stop.signal)),
    );
  }

  #next(webhookId: string): Notice | undefined {
    const { alerts } = this.#options.hot.state;
    const webhook = alerts.webhooks.get(webhookId);
    return webhook && noticesFor(webhook, alerts)[0];
  }

  #notify(): void {
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  async #deliverTo(webhookId: string, ended: AbortSignal): Promise<void> {
    const { hot, firstPauseMs = FIRST_PAUSE_MS, maxPauseMs = MAX_PAUSE_MS } = this.#options;
    let pauseMs = firstPauseMs;
    let attempts = 0;
    let sending: Notice | undefined;
    /** The status of a notification that was taken and is not recorded yet. */
    let taken: number | undefined;
    while (!ended.aborted) {
      const waking = this.#wake.signal;
      const webhook = hot.state.alerts.webhooks.get(webhookId);
      const next = this.#next(webhookId);
      if (!webhook || !next) return this.#clear(webhookId);
      if (next.position !== sending?.position) [sending, attempts, taken] = [next, 0, undefined];
      try {
        if (taken === undefined) {
          attempts += 1;
          taken = await this.#send(webhook, next, ended);
        }
        await this.#record(webhookId, next, { type: 'RecordDelivery', attempts, status: taken });
        this.#clear(webhookId);
        pauseMs = firstPauseMs;
      } catch (error) {
        if (ended.aborted) return;
        await this.#fail(webhook, next, error as Error);
        if (this.#isStopping) return;
        await sleep(pauseMs, AbortSignal.any([ended, waking]));
        pauseMs = Math.min(2 * pauseMs, maxPauseMs);
      }
    }
  }

  #send(webhook: Webhook, notice: Pick<Notice, 'alert' | 'isRecovery'>, signal: AbortSignal): Promise<number> {
    const { vault, post, now } = this.#options;
    const content = notificationOf(notice, webhook.format, this.#options);
    const headers = signedHeaders(content, vault.open(webhook.secret), now());
    return post({ url: vault.open(webhook.url), body: content.body, headers }, signal);
  }

  async #record(
    webhookId: string,
    { alert: { id: alertId }, isRecovery }: Notice,
    outcome: { type: 'RecordDelivery'; attempts: number; status: number } | { type: 'RecordFailure'; reason: string },
  ): Promise<void> {
    const { handle, cause } = this.#options;
    await handle(subjects.alert, 'main', { ...outcome, webhookId, alertId, isRecovery }, cause());
  }

  async #fail({ id, name, origin }: Webhook, notice: Notice, { message }: Error): Promise<void> {
    this.#options.faults.raise({
      code: FAULT,
      subject: id,
      cause: `The webhook ${name} (${origin}) takes no notifications of alerts: ${message}.`,
      remedy: 'svc tries again by itself and sends what was missed. Check the receiver, or remove the webhook.',
    });
    // While the log takes no events, this is not recorded.
    await this.#record(id, notice, { type: 'RecordFailure', reason: message.slice(0, 500) }).catch(() => undefined);
  }

  #clear(webhookId: string): void {
    this.#options.faults.clear(FAULT, webhookId, `The webhook ${webhookId} takes notifications of alerts again.`);
  }
}
