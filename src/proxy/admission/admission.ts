import type { ApiKey } from '../../domain/apiKey/state.ts';
import { type ApiKeyId, type Instant, iso } from '../../domain/core/brands.ts';
import { ADMIT_VERSION, admit, type PerRule } from '../../domain/limits/admit.ts';
import { amountOf, appliesTo, type Consumption } from '../../domain/limits/counters.ts';
import type { ModelPrice } from '../../domain/pricing/prices.ts';
import type { Admission, RefusedRequest } from '../../domain/request/events.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { ProxyError } from '../errors/proxyError.ts';
import { estimateOf } from './estimate.ts';
import type { Ledger } from './ledger.ts';

export interface AdmissionOptions {
  readonly hot: HotState;
  readonly ledger: Ledger;
  /** What requests of other nodes, or of this one before its last start, hold of the window of a rule that holds `at`. */
  readonly reservedElsewhere: (keyId: ApiKeyId, ruleId: number, at: Instant) => number;
  readonly priceOf: (model: string) => ModelPrice | undefined;
}

export interface RequestToAdmit {
  readonly requestId: string;
  readonly key: ApiKey | null;
  readonly model: string;
  readonly inputTokens: number;
  readonly maxOutputTokens: number | null;
  readonly serviceTier: string | null;
  readonly requestedAt: Instant;
}

/** A limit said no; carries what the log will say about it. */
export class LimitExceeded extends ProxyError {
  readonly admission: Admission;
  readonly limit: NonNullable<RefusedRequest['limit']>;

  constructor(
    admission: Admission,
    limit: NonNullable<RefusedRequest['limit']>,
    problem: string,
    resetAt: Instant,
    now: Instant,
  ) {
    const seconds = Math.max(0, Math.ceil((resetAt - now) / 1_000));
    super(
      'rate_limit_exceeded',
      { problem },
      {
        resets_at: Math.ceil(resetAt / 1_000),
        resets_in_seconds: seconds,
        // Codex and opencode sleep on this header however long it is (clients.md section 0, row 14).
        headers: seconds <= 60 ? { 'retry-after': String(seconds) } : {},
      },
    );
    this.admission = admission;
    this.limit = limit;
  }
}

/**
 * May this client make this request now? Reserves on the key's limits when it may.
 * @returns what was decided and from what, for the log; undefined when there was no limit to check
 * @throws ProxyError `model_not_allowed`, LimitExceeded
 */
export const createAdmission =
  ({ hot, ledger, reservedElsewhere, priceOf }: AdmissionOptions) =>
  ({
    requestId,
    key,
    model,
    inputTokens,
    maxOutputTokens,
    serviceTier,
    requestedAt,
  }: RequestToAdmit): Admission | undefined => {
    if (!key) return undefined;
    if (key.allowedModels && !key.allowedModels.includes(model)) throw new ProxyError('model_not_allowed', { model });
    if (key.rules.length === 0) return undefined;
    const estimate = estimateOf({ inputTokens, maxOutputTokens, serviceTier }, priceOf(model));
    const verdict = admit({
      rules: key.rules,
      model,
      counters: hot.counters.get(key.id),
      reservedOn: (ruleId) =>
        ledger.reservedOn(key.id, ruleId, requestedAt) + reservedElsewhere(key.id, ruleId, requestedAt),
      estimate,
      now: requestedAt,
    });
    const admission: Admission = {
      decidedAt: hot.position,
      asOf: requestedAt,
      v: ADMIT_VERSION,
      estimate,
      reserved: verdict.alreadyReserved,
    };
    if (verdict.kind === 'admitted') {
      ledger.reserve(key, requestId, requestedAt, verdict.reservations);
      return admission;
    }
    const { rule, counted, reserved, ceiling, resetAt } = verdict;
    const scope = rule.modelFilter ? ` for model ${rule.modelFilter}` : '';
    const problem = `API key ${rule.limitType} ${rule.limitWindow} limit exceeded${scope}. Usage resets at ${iso(resetAt)}.`;
    throw new LimitExceeded(admission, { ruleId: rule.id, counted, reserved, ceiling }, problem, resetAt, requestedAt);
  };

/** What a finished request used of each rule that applies to it. */
export function amountsOf({ rules }: ApiKey, model: string, consumption: Consumption): PerRule {
  const amounts: PerRule = [];
  for (const rule of rules) {
    if (appliesTo(rule, model)) amounts.push([rule.id, amountOf(rule.limitType, consumption)]);
  }
  return amounts;
}
