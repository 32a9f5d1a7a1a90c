import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { Instant, Position } from '../../domain/core/brands.ts';
import { costOf } from '../../domain/pricing/cost.ts';
import type { ModelPrice } from '../../domain/pricing/prices.ts';
import {
  type Admission,
  type Attempt,
  type CompletedRequest,
  RequestCompleted,
  type RequestSocket,
  type TokenUsage,
  WEBSOCKET,
} from '../../domain/request/events.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { Actor, EventToAppend } from '../../eventLog/eventLog.ts';
import type { Caller, NamedConversations } from '../admission/callers.ts';
import type { Ledger } from '../admission/ledger.ts';

/** The conversation of a request. All its attempts are chosen by the account that was found when it came. */
export type Pin = Required<Pick<NonNullable<CompletedRequest['pin']>, 'digest' | 'source' | 'resolvedTo'>>;

/** The facts about a request that its event records. */
export interface RequestToSettle {
  readonly requestId: string;
  readonly key: ApiKey | null;
  /** Path of the route, with aliases resolved. */
  readonly route: string;
  readonly model: string;
  readonly effort: string | null;
  readonly serviceTier: string | null;
  readonly requestedAt: Instant;
  readonly admission: Admission | undefined;
  /** Undefined when the conversation is not pinned to an account. */
  readonly pin: Pin | undefined;
  readonly caller: Caller;
  readonly conversations: NamedConversations;
  /** Undefined for a request over HTTP. */
  readonly socket?: RequestSocket | undefined;
  /** Undefined while traces are off. */
  readonly trace?: { readonly context: CompletedRequest['trace'] } | undefined;
}

/** How a request ended, as the log records it. */
export interface Outcome {
  /** HTTP status as text, or `error` when the response had begun. */
  readonly status: string;
  readonly code: string | null;
  readonly message: string | null;
  /** `type` and `param` of the provider's error. */
  readonly errorType?: string | undefined;
  readonly errorParam?: string | undefined;
  /** Undefined when the request failed before any output, which counts against no limit. */
  readonly usage: TokenUsage | undefined;
  readonly refusal?: CompletedRequest['refusal'];
  /** The tier that the provider served, null for the default tier; undefined when it did not report one. */
  readonly serviceTier?: string | null | undefined;
}

/** The arguments of `Settle`. */
export interface Settlement {
  readonly request: RequestToSettle;
  readonly outcome: Outcome;
  readonly attempts: readonly Attempt[];
  readonly isFallback: boolean;
  readonly firstByteAt: Instant | undefined;
  /** How often the request was announced in the log while it was open. */
  readonly announcements?: number;
}

/** Resolves when the outcome of a request is durable; rejects when the log does not accept it. */
export type Settle = (settlement: Settlement) => Promise<void>;

export interface SettlementOptions {
  /** @param onGivenUp called when the event will never be in the log */
  readonly record: (event: EventToAppend, onGivenUp: () => void) => Promise<Position>;
  readonly ledger: Ledger;
  readonly priceOf: (model: string) => ModelPrice | undefined;
  readonly priceVersion: string;
  readonly now: () => Instant;
}

/** Messages of the provider are cut to this length, because rows are kept for years. */
const MAX_MESSAGE_CHARACTERS = 500;

/**
 * Turns the outcome of a request into its `RequestCompleted`: actual usage replaces the reservation at once, and the cost
 * is computed with the current prices and their version.
 */
export const createSettlement =
  ({ record, ledger, priceOf, priceVersion, now }: SettlementOptions): Settle =>
  async ({ request, outcome, attempts, isFallback, firstByteAt, announcements }) => {
    const { key, model, requestId, requestedAt, pin, caller, conversations, socket } = request;
    const usage = outcome.usage ?? null;
    const price = usage && priceOf(model);
    const tier = outcome.serviceTier === undefined ? request.serviceTier : outcome.serviceTier;
    const costMicroDollars = usage && price ? costOf(usage, price, tier) : null;
    if (key) {
      const { inputTokens, outputTokens } = usage ?? NO_USAGE;
      const used = { inputTokens, outputTokens, costMicroDollars: costMicroDollars ?? 0 };
      ledger.settle(requestId, used);
    }
    if (caller.ready) await caller.ready;
    const time = now();
    const accountId = attempts.at(-1)?.accountId ?? null;
    const completed: CompletedRequest = {
      requestId,
      keyId: key?.id ?? null,
      route: request.route,
      model,
      effort: request.effort,
      requestedAt,
      owner: key?.owner,
      team: key?.team,
      transport: socket && WEBSOCKET,
      socket,
      conversation: conversations.conversation,
      otherConversations: conversations.otherConversations,
      client: caller.client,
      trace: request.trace?.context,
      admission: request.admission,
      announcements: announcements || undefined,
      status: outcome.status,
      errorCode: outcome.code,
      errorMessage: outcome.message?.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed() ?? null,
      accountId,
      latencyMs: Math.max(0, time - requestedAt),
      firstByteMs: firstByteAt === undefined ? null : Math.max(0, firstByteAt - requestedAt),
      usage,
      costMicroDollars,
      priceVersion: costMicroDollars === null ? null : priceVersion,
      serviceTier: tier ?? undefined,
      pin: pin && { digest: pin.digest, isFallback, source: pin.source, resolvedTo: pin.resolvedTo },
      attempts: attempts as Attempt[],
      refusal: outcome.refusal,
      errorType: outcome.errorType,
      errorParam: outcome.errorParam,
    };
    const { type, data } = RequestCompleted(completed);
    await record(
      { id: newEventId(), type, data, time, actor: actorOf(request), correlationId: requestId },
      // As long as the log may still receive the event, and the fold may count it, the usage stays reserved.
      () => ledger.release(requestId),
    );
  };

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

const ANONYMOUS: Actor = { kind: 'anonymous' };

/** Shared by the requests of a key, so that the log serializes it once. */
const actors = new WeakMap<ApiKey, Actor>();

/** @returns who acts by a request, for the log: its API key, or an anonymous client */
export function actorOf({ key }: Pick<RequestToSettle, 'key'>): Actor {
  if (!key) return ANONYMOUS;
  let actor = actors.get(key);
  if (!actor) {
    actor = { kind: 'apiKey', keyId: key.id };
    actors.set(key, actor);
  }
  return actor;
}
