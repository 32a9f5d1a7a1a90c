import type { ErrorFields } from '../http.ts';
import { type ResponseScript, type ScriptContext, type StreamEvent, stepsOf } from '../responseScript.ts';
import { textResponse } from '../responses.ts';
import type { UsageScript, UsageWindow } from '../usage.ts';
import { errorFrame } from './socketRules.ts';

/** Accepts an upgrade. Any other script of an upgrade refuses it: `errorJson(...)`, `noResponse()`, `connectionReset()`. */
export const acceptUpgrade = (headers: Record<string, string> = {}): ResponseScript => ({
  name: 'acceptUpgrade',
  steps: [{ head: 101, headers: { 'x-models-etag': 'W/"models-1"', 'x-reasoning-included': 'true', ...headers } }],
});

export type SocketEvents = (context: ScriptContext) => Iterable<StreamEvent>;

/** `codex.rate_limits` of the account, and the turn state, which belongs to this account and the client's turn. */
export function* limitsAndTurnState({ account, json, now }: ScriptContext, usage: UsageScript): Generator<StreamEvent> {
  const windowPayload = ({ usedPercent, windowSeconds, resetAt }: UsageWindow) => ({
    used_percent: usedPercent,
    window_minutes: Math.ceil(windowSeconds / 60),
    reset_after_seconds: Math.max(0, resetAt - Math.floor(now / 1000)),
    reset_at: resetAt,
  });
  yield {
    type: 'codex.rate_limits',
    plan_type: usage.planType ?? account.plan,
    rate_limits: {
      allowed: true,
      limit_reached: false,
      primary: usage.primary && windowPayload(usage.primary),
      secondary: usage.secondary && windowPayload(usage.secondary),
    },
    credits: usage.credits && {
      has_credits: usage.credits.hasCredits,
      unlimited: usage.credits.unlimited,
      balance: usage.credits.balance,
    },
  };
  const { turn_id: turn } = (json.client_metadata ?? {}) as { turn_id?: string };
  if (turn !== undefined)
    yield { type: 'response.metadata', headers: { 'x-codex-turn-state': turnStateOf(account.id, turn) } };
}

export const turnStateOf = (account: string, turn: string): string => `turn-state-of-${turn}-at-${account}`;

/** An `error` frame in place of a response. Without a status Codex ignores most of them. */
export const errorOnSocket = (
  status: number | undefined,
  error: ErrorFields,
  headers?: Record<string, string>,
): ResponseScript => {
  const { status: _status, ...withoutStatus } = errorFrame(0, error);
  const event = status === undefined ? withoutStatus : errorFrame(status, error, headers);
  return { name: `errorOnSocket ${status ?? 'without status'}`, steps: [{ event: { ...event } }] };
};

/** Closes the socket in place of a response, or after some of its events. */
export const closeOnSocket = (code: number, { events = 0 }: { events?: number } = {}): ResponseScript => ({
  name: `closeOnSocket ${code}`,
  *steps(context) {
    yield* firstEvents(events, context);
    yield { close: code };
  },
});

function* firstEvents(count: number, context: ScriptContext) {
  let remaining = count;
  for (const step of stepsOf(textResponse(), context)) {
    if ('event' in step && remaining-- <= 0) return;
    yield step;
  }
}

/** Resets the connection when exactly this many bytes of the response's frames were written. */
export const cutAtByte = (bytes: number, script: ResponseScript = textResponse()): ResponseScript => ({
  ...script,
  name: `${script.name} cut at byte ${bytes}`,
  *steps(context) {
    yield { cutAfterBytes: bytes };
    yield* stepsOf(script, context);
  },
});

/** A script with a message before its first event that is no event, or no text. */
export const withMessage = (
  message: string | Uint8Array,
  script: ResponseScript = textResponse(),
  isBinary = typeof message !== 'string',
): ResponseScript => ({
  ...script,
  name: `${script.name} with a message`,
  *steps(context) {
    yield { message, isBinary };
    yield* stepsOf(script, context);
  },
});
