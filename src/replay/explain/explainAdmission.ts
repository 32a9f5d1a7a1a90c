import { iso } from '../../domain/core/brands.ts';
import { usedAt } from '../../domain/limits/counters.ts';
import { appliesTo, type LimitRule } from '../../domain/limits/limitRule.ts';
import { amountOf, limitTypes } from '../../domain/limits/limitTypes.ts';
import { windowAt } from '../../domain/limits/limitWindows.ts';
import type { Admission, RefusedRequest } from '../../domain/request/events.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { repeatAdmission } from '../admissions.ts';
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
  const rules = (data.keyId !== null && hot.apiKeys.get(data.keyId)?.rules) || [];
  return {
    verdict: isRefused ? 'refused' : 'admitted',
    rule: isRefused ? 'limit' : null,
    limit_id: isRefused ? verdict.rule.id : null,
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
    limits: rules.map((rule) => explainedLimit(rule, data, admission, hot)),
  };
}

const MICRO = 1_000_000;

function explainedLimit(
  rule: LimitRule,
  { keyId, model }: EndEvent['data'],
  { reserved, estimate, asOf }: Admission,
  hot: HotState,
): ExplainedLimit {
  const { amountsPerUnit } = limitTypes[rule.limitType];
  const inUnits = (amount: number) => amount / amountsPerUnit;
  const held = reserved.find(([, , ruleId]) => ruleId === rule.id)?.[3] ?? 0;
  return {
    id: rule.id,
    limit_type: rule.limitType,
    limit_window: rule.limitWindow,
    model_filter: rule.modelFilter,
    applies: appliesTo(rule, model),
    counted: inUnits(usedAt(keyId === null ? undefined : hot.counters.get(keyId), rule, asOf)),
    reserved: inUnits(held),
    estimate: inUnits(amountOf(rule.limitType, estimate)),
    ceiling: rule.maxValue,
    resets_at: iso(windowAt(rule, asOf).resetAt),
  };
}

const refusedBy = ({ decidedAt = 0 as never }: RefusedRequest, rule: string): ExplainedAdmission => ({
  verdict: 'refused',
  rule,
  limit_id: null,
  decided_at: decidedAt,
  as_of: null,
  rule_version: null,
  estimate: null,
  estimate_source: null,
  nodes: 1,
  limits: [],
});
