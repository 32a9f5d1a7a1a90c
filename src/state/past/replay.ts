import type { AccountId, Position } from '../../domain/core/brands.ts';
import { admit } from '../../domain/limits/admit.ts';
import { excludedPlans } from '../../domain/modelCatalogue/excludedPlans.ts';
import type { Attempt, CompletedRequest, RefusedRequest } from '../../domain/request/events.ts';
import type { Cooling } from '../../domain/routing/availability.ts';
import { PLANS_SINCE_VERSION, select, triedBy } from '../../domain/routing/select.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { HotState } from '../fold/hotState.ts';

/** A decision whose replay gives another result than the recorded one. */
export interface Difference {
  readonly requestId: string;
  readonly decision: string;
  readonly recorded: string;
  readonly replayed: string;
}

export interface ReplayReport {
  readonly choices: number;
  readonly admissions: number;
  readonly differences: readonly Difference[];
}

/** A recorded decision, to be repeated once the fold has reached the position at which it was made. */
interface RecordedDecision {
  readonly requestId: string;
  readonly decidedAt: Position;
  readonly decision: string;
  readonly recorded: string;
  readonly repeat: (hot: HotState) => string;
}

/**
 * Repeats every recorded decision from the log alone: from the fold at the decision's position and the pending state that the
 * decision recorded as its `overlay` (docs/decisions/0028-replayable-decisions.md).
 * @returns every difference
 */
export function replay(events: readonly RecordedEvent[]): ReplayReport {
  const choices = events.flatMap(choicesIn);
  const admissions = events.flatMap(admissionsIn);
  const decisions = [...choices, ...admissions].toSorted((a, b) => a.decidedAt - b.decidedAt);
  const differences: Difference[] = [];
  const hot = new HotState();
  let next = 0;
  const repeatReached = () => {
    for (let decision = decisions[next]; decision && decision.decidedAt <= hot.position; decision = decisions[++next]) {
      const replayed = decision.repeat(hot);
      const { requestId, recorded } = decision;
      if (replayed !== recorded) differences.push({ requestId, decision: decision.decision, recorded, replayed });
    }
  };
  repeatReached();
  for (const event of events) {
    hot.apply(event);
    repeatReached();
  }
  return { choices: choices.length, admissions: admissions.length, differences };
}

function choicesIn(event: RecordedEvent): RecordedDecision[] {
  if (event.type !== 'RequestCompleted') return [];
  const { data: request } = event;
  const { requestId, attempts, refusal } = request;
  const choices = attempts.map((attempt, index): RecordedDecision => {
    const { decidedAt, accountId, isRepeat } = attempt;
    const repeat = (hot: HotState) =>
      isRepeat ? String(attempts[index - 1]?.accountId) : repeatChoice(hot, request, attempt, attempts.slice(0, index));
    return { requestId, decidedAt, decision: `attempt ${index + 1}`, recorded: accountId, repeat };
  });
  if (refusal) {
    const repeat = (hot: HotState) => repeatChoice(hot, request, refusal, attempts);
    choices.push({ requestId, decidedAt: refusal.decidedAt, decision: 'refusal', recorded: refusal.reason, repeat });
  }
  return choices;
}

const NONE: ReadonlySet<string> = new Set();

/** @returns the account, or the reason why none was available */
function repeatChoice(
  hot: HotState,
  { requestId, pin, model }: CompletedRequest,
  { overlay, asOf, v }: Pick<Attempt, 'overlay' | 'asOf' | 'v'>,
  before: readonly Attempt[],
): string {
  const cooling = new Map<AccountId, Cooling>();
  for (const [accountId, until] of overlay?.cooling ?? []) cooling.set(accountId, { until, reason: 'recorded' });
  const selection = select({
    accounts: hot.accounts,
    usage: hot.usage,
    settings: hot.settings,
    pinnedTo: overlay?.pinnedTo ?? (pin && hot.pins.get(pin.digest, hot.position)),
    excludedPlans: v >= PLANS_SINCE_VERSION ? excludedPlans(hot.models, model) : NONE,
    seed: pin?.digest ?? requestId,
    tried: triedBy(before),
    cooling,
    turn: overlay?.turn ?? 0,
    now: asOf,
  });
  return selection.kind === 'chosen' ? selection.accountId : selection.reason;
}

function admissionsIn(event: RecordedEvent): RecordedDecision[] {
  if (event.type !== 'RequestCompleted' && event.type !== 'RequestRefused') return [];
  const { data: request } = event;
  const { admission, requestId } = request;
  if (!admission) return [];
  const recorded = describeLimit('limit' in request ? request.limit : undefined);
  const repeat = (hot: HotState) => repeatAdmission(hot, request, admission);
  return [{ requestId, decidedAt: admission.decidedAt, decision: 'admission', recorded, repeat }];
}

function repeatAdmission(
  hot: HotState,
  { keyId, model }: CompletedRequest | RefusedRequest,
  { estimate, reserved, asOf }: NonNullable<CompletedRequest['admission']>,
): string {
  const key = keyId === null ? undefined : hot.apiKeys.get(keyId);
  if (!key) return 'no such key';
  const reservations = new Map(reserved.map(([, , ruleId, amount]) => [ruleId, amount]));
  const verdict = admit({
    rules: key.rules,
    model,
    counters: hot.counters.get(key.id),
    reservedOn: (ruleId) => reservations.get(ruleId) ?? 0,
    estimate,
    now: asOf,
  });
  if (verdict.kind === 'admitted') return describeLimit(undefined);
  const { rule, counted, reserved: held, ceiling } = verdict;
  return describeLimit({ ruleId: rule.id, counted, reserved: held, ceiling });
}

const describeLimit = (limit: RefusedRequest['limit']) =>
  limit
    ? `refused by rule ${limit.ruleId}: ${limit.counted} counted, ${limit.reserved} reserved of ${limit.ceiling}`
    : 'admitted';
