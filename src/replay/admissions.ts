import type { Position } from '../domain/core/brands.ts';
import { admitLevels, type LevelsVerdict } from '../domain/limits/admitLevels.ts';
import type { LimitLevel } from '../domain/limits/limitLevel.ts';
import type { Admission, CompletedRequest, RefusedRequest } from '../domain/request/events.ts';
import type { HotState } from '../state/fold/hotState.ts';
import { levelsOf } from '../state/fold/limitLevels.ts';
import type { RecordedDecision } from './recordedDecision.ts';

/** A request that ended, with its place in the log. */
export interface EndedEvent {
  readonly type: 'RequestCompleted' | 'RequestRefused';
  readonly data: CompletedRequest | RefusedRequest;
  readonly position: Position;
}

/** The decisions about limits that the end of a request recorded: whether it was admitted, and by which estimate. */
export function admissionsIn({ data: request, position }: EndedEvent): RecordedDecision[] {
  const { admission, requestId } = request;
  if (!admission) return [];
  const { decidedAt } = admission;
  const recorded = describeLimit('limit' in request ? request.limit : undefined);
  const repeat = (hot: HotState) => describeVerdict(repeatAdmission(hot, request, admission));
  const decisions: RecordedDecision[] = [
    { kind: 'admission', requestId, position, decidedAt, decision: 'admission', recorded, repeat },
  ];
  const estimate = estimateOf(request, admission, position);
  if (estimate) decisions.push(estimate);
  return decisions;
}

/** A refusal that svc decided from the log besides those by a limit: the key may not use the model. */
export function refusalsIn({ data: request, type, position }: EndedEvent): RecordedDecision[] {
  if (type !== 'RequestRefused') return [];
  const { errorCode, decidedAt, keyId, model, requestId } = request as RefusedRequest;
  if (errorCode !== 'model_not_allowed' || decidedAt === undefined || keyId === null) return [];
  const repeat = (hot: HotState) => {
    const key = hot.apiKeys.get(keyId);
    if (!key) return NO_KEY;
    return key.allowedModels && !key.allowedModels.includes(model) ? 'not allowed' : 'allowed';
  };
  return [{ kind: 'refusal', requestId, position, decidedAt, decision: 'model', recorded: 'not allowed', repeat }];
}

const NO_KEY = 'no such key';

/**
 * Takes the decision about the limits of a request again.
 * @param hot the fold at the position at which it was decided
 * @returns undefined when the key did not exist
 */
export function repeatAdmission(
  hot: HotState,
  request: Pick<CompletedRequest, 'keyId' | 'owner' | 'team' | 'model'>,
  { estimate, reserved, asOf }: Admission,
): LevelsVerdict | undefined {
  if (request.keyId === null || !hot.apiKeys.has(request.keyId)) return undefined;
  const levels = levelsOf(hot, request);
  const levelOf = new Map(levels.map(({ holder, level }) => [holder, level]));
  return admitLevels({
    levels,
    model: request.model,
    countersOf: (holder) => hot.counters.get(holder),
    reservedOn: (holder, ruleId) => recordedAmount(reserved, levelOf.get(holder), ruleId),
    estimate,
    now: asOf,
  });
}

/** What an admission recorded as reserved on a rule. A request has at most one holder of each level. */
export const recordedAmount = (
  reserved: Admission['reserved'],
  level: LimitLevel | undefined,
  ruleId: number,
): number => reserved.find(([ofLevel, , ofRule]) => ofLevel === level && ofRule === ruleId)?.[3] ?? 0;

/** What an admission expected of the answer. Earlier versions did not record where the estimate came from. */
function estimateOf(
  { keyId, model, requestId }: CompletedRequest | RefusedRequest,
  { estimateSource: source, decidedAt, estimate: { outputTokens } }: Admission,
  position: Position,
): RecordedDecision | undefined {
  // A request that a crash left open has the estimate of its last announcement.
  if (keyId === null || source === undefined || source === 'relayed') return undefined;
  const recorded = describeEstimate({ outputTokens, source });
  const repeat = (hot: HotState) => {
    const expected = hot.answers.expected(keyId, model);
    // The maximum that the client set is not in the log: it replaces the default, or an expectation above it.
    const mayBeMaximum = expected.source === 'default' || outputTokens < expected.outputTokens;
    return source === 'request' && mayBeMaximum ? recorded : describeEstimate(expected);
  };
  return { kind: 'estimate', requestId, position, decidedAt, decision: 'estimate', recorded, repeat };
}

const describeEstimate = ({ outputTokens, source }: { outputTokens: number; source: string }) =>
  `${outputTokens} output tokens, by ${source}`;

const describeLimit = (limit: RefusedRequest['limit']) => {
  if (!limit) return 'admitted';
  const { level = 'key', ruleId, counted, reserved, ceiling } = limit;
  return `refused by rule ${ruleId} of the ${level}: ${counted} counted, ${reserved} reserved of ${ceiling}`;
};

function describeVerdict(verdict: LevelsVerdict | undefined): string {
  if (!verdict) return NO_KEY;
  if (verdict.kind === 'admitted') return describeLimit(undefined);
  const { level, rule, counted, reserved, ceiling } = verdict;
  return describeLimit({ level: level.level, ruleId: rule.id, counted, reserved, ceiling });
}
