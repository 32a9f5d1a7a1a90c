import type { ApiKey } from '../../domain/apiKey/state.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { ADMIT_VERSION } from '../../domain/limits/admit.ts';
import { admitLevels, type LevelAmounts } from '../../domain/limits/admitLevels.ts';
import { stopsStreams } from '../../domain/limits/limitRule.ts';
import type { ModelPrice } from '../../domain/pricing/prices.ts';
import type { Admission } from '../../domain/request/events.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { levelsOf } from '../../state/fold/limitLevels.ts';
import { ProxyError } from '../errors/proxyError.ts';
import { estimateOf } from './estimate.ts';
import type { Ledger } from './ledger.ts';
import { LimitExceeded } from './limitExceeded.ts';
import { LimitMeter, type LimitMeterServices } from './limitMeter.ts';
import { createRecordRefusal, type RefusedState, type RequestedModel } from './recordRefusal.ts';
import type { Refusals } from './refusals.ts';
import type { SharedLimits } from './sharedLimits.ts';

export interface AdmissionControlOptions extends Pick<LimitMeterServices, 'usedElsewhere'> {
  readonly hot: HotState;
  readonly ledger: Ledger;
  /** What the requests of all nodes reserve. */
  readonly sharedLimits: Pick<SharedLimits, 'assumedOn' | 'knownOn' | 'nextShareMs' | 'nodes'>;
  readonly priceOf: (model: string) => ModelPrice | undefined;
  readonly refusals: Refusals;
  readonly now: () => Instant;
  /** The time of limit windows. */
  readonly windowsNow: () => Instant;
}

/** A request before its admission. */
export interface RequestToAdmit {
  readonly requestId: string;
  readonly key: ApiKey | null;
  readonly model: string;
  readonly inputTokens: number;
  readonly maxOutputTokens: number | null;
  readonly serviceTier: string | null;
  /** The client reads the response as a stream, which a limit can stop. */
  readonly wantsStream: boolean;
  readonly requestedAt: Instant;
}

/** A request that limits admitted. */
export interface Admitted {
  /** The decision and its inputs, for the log. */
  readonly admission: Admission;
  readonly meter: LimitMeter;
}

/** Decides which requests may call the provider. */
export interface AdmissionControl {
  /**
   * Checks the model and the limits of the key, its owner and its team, and reserves the estimated usage on all of them at once.
   * @returns undefined when none of them has limits
   * @throws ProxyError `model_not_allowed`, LimitExceeded
   */
  admit(request: RequestToAdmit): Admitted | undefined;
  /**
   * Ends a request before the provider is called: releases its reservation and records why.
   * Resolves when the refusal is durable or counted.
   */
  refuse(error: unknown, state: RefusedState, requested?: RequestedModel): Promise<void>;
}

/** Creates the admission of requests over the hot state, the ledger and the reservations of other nodes. */
export function createAdmissionControl(options: AdmissionControlOptions): AdmissionControl {
  const { hot, ledger, sharedLimits, priceOf, windowsNow } = options;
  const recordRefusal = createRecordRefusal(options);

  return {
    admit(request) {
      const { requestId, key, model, requestedAt } = request;
      if (!key) return undefined;
      if (key.allowedModels && !key.allowedModels.includes(model)) throw new ProxyError('model_not_allowed', { model });
      const of = { keyId: key.id, owner: key.owner, team: key.team };
      const levels = levelsOf(hot, of);
      if (levels.length === 0) return undefined;
      const price = priceOf(model);
      const { usage: estimate, source } = estimateOf(request, hot.answers.expected(key.id, model), price);
      const asOf = windowsNow();
      const { nodes } = sharedLimits;
      const verdict = admitLevels({
        levels,
        model,
        countersOf: (holder) => hot.counters.get(holder),
        reservedOn: (holder, ruleId) => sharedLimits.assumedOn(holder, ruleId, asOf),
        estimate,
        now: asOf,
      });
      const admission: Admission = {
        decidedAt: hot.position,
        asOf,
        v: ADMIT_VERSION,
        estimate,
        estimateSource: source,
        reserved: recordedAmounts(verdict.alreadyReserved),
        ...(nodes > 1 && { nodes }),
      };
      if (verdict.kind === 'admitted') {
        ledger.reserve(requestId, asOf, verdict.reservations);
        const stops =
          request.wantsStream && levels.some(({ rules }) => rules.some((rule) => stopsStreams(rule, model)));
        const meter = new LimitMeter(options, { request, of, price, admission }, stops);
        return { admission, meter };
      }
      const { rule, counted, reserved, ceiling, resetAt } = verdict;
      const { level, subject, holder } = verdict.level;
      const limit = { level, subject, ruleId: rule.id, counted, reserved, ceiling };
      const decision = { of, admission, limit };
      // A clock that was set back reaches the reset later than the windows' clock says.
      const now = requestedAt < asOf ? requestedAt : asOf;
      const isLeft = counted + sharedLimits.knownOn(holder, rule.id, asOf) < ceiling;
      if (isLeft) throw new LimitExceeded(decision, rule, instant(now + sharedLimits.nextShareMs), now, 'share');
      throw new LimitExceeded(decision, rule, resetAt, now);
    },

    refuse(error, state, requested) {
      ledger.release(state.requestId);
      return recordRefusal(error, state, requested);
    },
  };
}

function recordedAmounts(reserved: readonly LevelAmounts[]): Admission['reserved'] {
  const recorded: Admission['reserved'] = [];
  for (const { level, amounts } of reserved) {
    const subject = level.level === 'key' ? null : level.subject;
    for (const [ruleId, amount] of amounts) recorded.push([level.level, subject, ruleId, amount]);
  }
  return recorded;
}
