import { iso } from '../../domain/core/brands.ts';
import { usedAt } from '../../domain/limits/counters.ts';
import type { LimitedLevel } from '../../domain/limits/limitLevel.ts';
import { appliesTo, type LimitRule } from '../../domain/limits/limitRule.ts';
import { amountOf, limitTypes } from '../../domain/limits/limitTypes.ts';
import { windowAt } from '../../domain/limits/limitWindows.ts';
import type { Admission, RefusedRequest } from '../../domain/request/events.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { levelsOf } from '../../state/fold/limitLevels.ts';
import { recordedAmount, repeatAdmission } from '../admissions.ts';
import type { EndEvent } from './explainSource.ts';
import type { ExplainedAdmission, ExplainedLimit } from './explanation.ts';

/**
 * Explains why a request was admitted or refused, by the state at that decision.
 * @returns null when there was nothing to decide: the key has no limits, or none was required
 */
export function explainAdmission({ type, data }: EndEvent, hot: HotState): ExplainedAdmission | null {
  const { admission } = data;
  if (admission) return byLimits(data, admission, hot);
  if (type === 'RequestCompleted') return null;
  return refusedBy(data, data.errorCode === 'model_not_allowed' ? 'allowed_models' : data.errorCode);
}

function byLimits(data: EndEvent['data'], admission: Admission, hot: HotState): ExplainedAdmission {
  const verdict = repeatAdmission(hot, data, admission);
  const { estimate, estimateSource, decidedAt, asOf, v, nodes = 1 } = admission;
  const isRefused = verdict?.kind === 'refused';
  return {
    verdict: isRefused ? 'refused' : 'admitted',
    rule: isRefused ? 'limit' : null,
    limit_id: isRefused ? verdict.rule.id : null,
    limit_level: isRefused ? verdict.level.level : null,
    decided_at: decidedAt,
    as_of: iso(asOf),
    rule_version: v,
    estimate: {
      input_tokens: estimate.inputTokens,
      output_tokens: estimate.outputTokens,
      cost_usd: estimate.costMicroDollars / MICRO,
    },
    estimate_source: estimateSource ?? null,
    nodes,
    limits: levelsOf(hot, data).flatMap((level) =>
      level.rules.map((rule) => explainedLimit(level, rule, data.model, admission, hot)),
    ),
  };
}

const MICRO = 1_000_000;

function explainedLimit(
  { level, subject, holder }: LimitedLevel,
  rule: LimitRule,
  model: string,
  { reserved, estimate, asOf }: Admission,
  hot: HotState,
): ExplainedLimit {
  const { amountsPerUnit } = limitTypes[rule.limitType];
  const inUnits = (amount: number) => amount / amountsPerUnit;
  return {
    id: rule.id,
    level,
    subject,
    limit_type: rule.limitType,
    limit_window: rule.limitWindow,
    model_filter: rule.modelFilter,
    applies: appliesTo(rule, model),
    counted: inUnits(usedAt(hot.counters.get(holder), rule, asOf)),
    reserved: inUnits(recordedAmount(reserved, level, rule.id)),
    estimate: inUnits(amountOf(rule.limitType, estimate)),
    ceiling: rule.maxValue,
    resets_at: iso(windowAt(rule, asOf).resetAt),
  };
}

const refusedBy = ({ decidedAt = 0 as never }: RefusedRequest, rule: string): ExplainedAdmission => ({
  verdict: 'refused',
  rule,
  limit_id: null,
  limit_level: null,
  decided_at: decidedAt,
  as_of: null,
  rule_version: null,
  estimate: null,
  estimate_source: null,
  nodes: 1,
  limits: [],
});
