import type { Instant, Position } from '../../domain/core/brands.ts';
import { costOf } from '../../domain/pricing/cost.ts';
import type { ModelPrice } from '../../domain/pricing/prices.ts';
import { type Attempt, type CompletedRequest, RequestCompleted, type TokenUsage } from '../../domain/request/events.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { Actor, EventToAppend } from '../../eventLog/eventLog.ts';
import { amountsOf } from '../admission/admission.ts';
import type { AdmittedRequest } from '../admission/admittedRequest.ts';
import type { Ledger } from '../admission/ledger.ts';

/** How a request ended, as the log will say it. */
export interface Outcome {
  /** HTTP status as text, or `error` when the answer had begun. */
  readonly status: string;
  readonly code: string | null;
  readonly message: string | null;
  /** Undefined: it failed before any output, so nothing is counted. */
  readonly usage: TokenUsage | undefined;
  readonly refusal?: CompletedRequest['refusal'];
  /** What the provider served, null for the usual tier; undefined where it did not say. */
  readonly serviceTier?: string | null | undefined;
}

export interface Settled {
  readonly request: AdmittedRequest;
  readonly outcome: Outcome;
  readonly attempts: readonly Attempt[];
  readonly isFallback: boolean;
  readonly firstByteAt: Instant | undefined;
}

export interface SettlementOptions {
  /** `onGivenUp` is told when the event will never be in the log. */
  readonly record: (event: EventToAppend, onGivenUp: () => void) => Promise<Position>;
  readonly ledger: Ledger;
  readonly priceOf: (model: string) => ModelPrice | undefined;
  readonly priceVersion: string;
  readonly now: () => Instant;
}

/** Longer texts of the provider's say no more, and rows are kept for years. */
const MAX_MESSAGE_CHARACTERS = 500;

/**
 * Turns the end of a request into its `RequestCompleted`: real usage replaces the reservation at once, cost is counted
 * with today's prices and their version. Resolves when the event is durable.
 */
export const createSettlement =
  ({ record, ledger, priceOf, priceVersion, now }: SettlementOptions) =>
  async ({ request, outcome, attempts, isFallback, firstByteAt }: Settled): Promise<void> => {
    const { key, model, requestId, requestedAt, pin } = request;
    const usage = outcome.usage ?? null;
    const price = usage && priceOf(model);
    const tier = outcome.serviceTier === undefined ? request.serviceTier : outcome.serviceTier;
    const costMicroDollars = usage && price ? costOf(usage, price, tier) : null;
    if (key) {
      const { inputTokens, outputTokens } = usage ?? NOTHING_USED;
      const used = { inputTokens, outputTokens, costMicroDollars: costMicroDollars ?? 0 };
      ledger.settle(requestId, amountsOf(key, model, used));
    }
    const time = now();
    const accountId = attempts.at(-1)?.accountId ?? null;
    const completed: CompletedRequest = {
      requestId,
      keyId: key?.id ?? null,
      route: request.route,
      model,
      effort: request.effort,
      requestedAt,
      admission: request.admission,
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
      pin: pin === undefined ? undefined : { digest: pin, isFallback },
      attempts: attempts as Attempt[],
      refusal: outcome.refusal,
    };
    const { type, data } = RequestCompleted(completed);
    await record(
      { id: newEventId(), type, data, time, actor: actorOf(request), correlationId: requestId },
      // Until it is certain that the log will never have it, what was used stays held: it may be counted yet.
      () => ledger.release(requestId),
    );
  };

const NOTHING_USED = { inputTokens: 0, outputTokens: 0 };

const ANONYMOUS: Actor = { kind: 'anonymous' };

export const actorOf = ({ key }: Pick<AdmittedRequest, 'key'>): Actor =>
  key ? { kind: 'apiKey', keyId: key.id } : ANONYMOUS;
