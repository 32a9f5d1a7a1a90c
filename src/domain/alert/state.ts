import type { Instant, Position, Sealed } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { AlertEvent } from './events.ts';
import type { AlertRule, WebhookFormat } from './rules.ts';

/** When something happened, and its event. */
export interface Moment {
  readonly at: Instant;
  readonly position: Position;
}

/** One episode of a condition. */
export interface Alert {
  readonly id: string;
  readonly rule: AlertRule;
  readonly key: string;
  readonly subject: string | null;
  readonly node: string | null;
  readonly text: string;
  readonly raised: Moment;
  /** Null while it lasts. */
  readonly resolved: Moment | null;
}

export interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly url: Sealed;
  readonly origin: string;
  readonly secret: Sealed;
  readonly format: WebhookFormat;
  readonly rules: readonly AlertRule[];
  readonly addedAt: Instant;
  /** Of the event of the last notification that it took. It gets those of later events. */
  readonly delivered: Position;
  readonly deliveredAt: Instant | null;
  /** Since when it takes none, and why. */
  readonly failing: { readonly since: Instant; readonly reason: string } | null;
}

export interface AlertState {
  /** Those that last, by key. */
  readonly open: ReadonlyMap<string, Alert>;
  /** Those that are over, the earliest end first. */
  readonly ended: readonly Alert[];
  readonly webhooks: ReadonlyMap<string, Webhook>;
}

export const initialState: AlertState = { open: new Map(), ended: [], webhooks: new Map() };

/** Shown after they ended. */
const MAX_ENDED = 200;
/** Kept for webhooks that have not taken them: more than an operator would read. */
const MAX_UNDELIVERED = 2_000;

export function evolve(state: AlertState, { type, data, time: at, position }: Recorded<AlertEvent>): AlertState {
  switch (type) {
    case 'AlertRaised': {
      const { alertId: id, ...about } = data;
      const alert: Alert = { id, ...about, raised: { at, position }, resolved: null };
      return { ...state, open: new Map(state.open).set(alert.key, alert) };
    }
    case 'AlertResolved': {
      const open = new Map(state.open);
      const alert = open.get(data.key);
      if (!alert || !open.delete(data.key)) return state;
      return forgetEarliest({ ...state, open, ended: [...state.ended, { ...alert, resolved: { at, position } }] });
    }
    case 'WebhookAdded': {
      const { webhookId: id, ...about } = data;
      const begun = { addedAt: at, delivered: position, deliveredAt: null, failing: null };
      return { ...state, webhooks: new Map(state.webhooks).set(id, { id, ...about, ...begun }) };
    }
    case 'WebhookRemoved': {
      const webhooks = new Map(state.webhooks);
      webhooks.delete(data.webhookId);
      return forgetEarliest({ ...state, webhooks });
    }
    case 'AlertDelivered': {
      const webhook = state.webhooks.get(data.webhookId);
      const delivered = webhook && positionOf(state, data);
      if (!webhook || delivered === undefined || delivered <= webhook.delivered) return state;
      const after: Webhook = { ...webhook, delivered, deliveredAt: at, failing: null };
      return forgetEarliest({ ...state, webhooks: new Map(state.webhooks).set(after.id, after) });
    }
    case 'AlertDeliveryFailed': {
      const webhook = state.webhooks.get(data.webhookId);
      if (!webhook) return state;
      const after: Webhook = { ...webhook, failing: { since: at, reason: data.reason } };
      return { ...state, webhooks: new Map(state.webhooks).set(after.id, after) };
    }
  }
}

/** The position of the event that a notification is about; undefined for an alert that is not kept any more. */
export function positionOf(
  { open, ended }: AlertState,
  { alertId, isRecovery }: { readonly alertId: string; readonly isRecovery: boolean },
): Position | undefined {
  const alert = ended.find(({ id }) => id === alertId) ?? [...open.values()].find(({ id }) => id === alertId);
  return isRecovery ? alert?.resolved?.position : alert?.raised.position;
}

function forgetEarliest(state: AlertState): AlertState {
  const surplus = state.ended.length - MAX_ENDED;
  if (surplus <= 0) return state;
  const waiting = new Set(
    [...state.webhooks.values()].flatMap((webhook) => noticesFor(webhook, state).map(({ alert }) => alert.id)),
  );
  const isKept = ({ id }: Alert, index: number) =>
    index >= surplus || (waiting.has(id) && index >= state.ended.length - MAX_UNDELIVERED);
  return { ...state, ended: state.ended.filter(isKept) };
}

/** What a webhook is notified of: that an alert began, or that it is over. */
export interface Notice {
  readonly alert: Alert;
  readonly isRecovery: boolean;
  /** Of the event. */
  readonly position: Position;
}

/** What a webhook has not taken yet, in the order of the log. */
export function noticesFor(
  { delivered, rules }: Pick<Webhook, 'delivered' | 'rules'>,
  { open, ended }: Pick<AlertState, 'open' | 'ended'>,
): Notice[] {
  const notices: Notice[] = [];
  for (const alert of [...ended, ...open.values()]) {
    if (rules.length > 0 && !rules.includes(alert.rule)) continue;
    const { raised, resolved } = alert;
    if (raised.position > delivered) notices.push({ alert, isRecovery: false, position: raised.position });
    if (resolved && resolved.position > delivered)
      notices.push({ alert, isRecovery: true, position: resolved.position });
  }
  return notices.sort((left, right) => left.position - right.position);
}
