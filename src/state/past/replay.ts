import {
  type CoolDown,
  type CoolDownChange,
  type CoolDowns,
  changesIn,
  withPending,
} from '../../domain/coolDown/state.ts';
import { type AccountId, instant, type Position } from '../../domain/core/brands.ts';
import { admit } from '../../domain/limits/admit.ts';
import { excludedPlans } from '../../domain/modelCatalogue/excludedPlans.ts';
import type { Attempt, CompletedRequest, RefusedRequest } from '../../domain/request/events.ts';
import { FOLDED_COOL_DOWNS_SINCE_VERSION, PLANS_SINCE_VERSION, select, triedBy } from '../../domain/routing/select.ts';
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
  const ownChanges = new OwnCoolDowns(events);
  const choices = events.flatMap((event) => choicesIn(event, ownChanges));
  const admissions = events.flatMap(admissionsIn);
  const estimates = events.flatMap(estimatesIn);
  const decisions = [...choices, ...admissions, ...estimates].toSorted((a, b) => a.decidedAt - b.decidedAt);
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

function choicesIn(event: RecordedEvent, ownChanges: OwnCoolDowns): RecordedDecision[] {
  if (event.type !== 'RequestCompleted') return [];
  const { data: request } = event;
  const { requestId, attempts, refusal } = request;
  const coolDowns = (hot: HotState, choice: RecordedChoice) => coolDownsOf(hot, choice, event.stream, ownChanges);
  const choices = attempts.map((attempt, index): RecordedDecision => {
    const { decidedAt, accountId, isRepeat } = attempt;
    const repeat = (hot: HotState) =>
      isRepeat
        ? String(attempts[index - 1]?.accountId)
        : repeatChoice(hot, request, attempt, attempts.slice(0, index), coolDowns(hot, attempt));
    return { requestId, decidedAt, decision: `attempt ${index + 1}`, recorded: accountId, repeat };
  });
  if (refusal) {
    const repeat = (hot: HotState) => repeatChoice(hot, request, refusal, attempts, coolDowns(hot, refusal));
    choices.push({ requestId, decidedAt: refusal.decidedAt, decision: 'refusal', recorded: refusal.reason, repeat });
  }
  return choices;
}

type RecordedChoice = Pick<Attempt, 'overlay' | 'decidedAt' | 'asOf' | 'v'>;

/** The changes of cool-downs by the process that wrote them, in the order of their numbers. */
class OwnCoolDowns {
  readonly #byProcess = new Map<string, { readonly position: Position; readonly change: CoolDownChange }[]>();

  constructor(events: readonly RecordedEvent[]) {
    for (const event of events) {
      if (event.type !== 'AccountsCooled' && event.type !== 'AccountRecovered') continue;
      const process = processOf(event.stream);
      const changes = this.#byProcess.get(process) ?? [];
      this.#byProcess.set(process, changes);
      for (const change of changesIn(event)) changes.push({ position: event.position, change });
    }
    for (const changes of this.#byProcess.values()) changes.sort((a, b) => a.change.number - b.change.number);
  }

  /** @returns the last change of each account up to `number`, unless the log had it at `decidedAt` */
  pendingAt(decidedAt: Position, number: number, stream: string): Map<AccountId, CoolDownChange> {
    const pending = new Map<AccountId, CoolDownChange>();
    for (const { position, change } of this.#byProcess.get(processOf(stream)) ?? []) {
      if (change.number > number) break;
      if (position > decidedAt) pending.set(change.accountId, change);
      else pending.delete(change.accountId);
    }
    return pending;
  }
}

/** The name of a process's stream without its day, and without the number of a stream that replaced another one. */
const processOf = (stream: string): string => stream.replace(/_\d{8}(_\d+)?$/, '');

/** The cool-downs that counted for a choice which the process of `stream` made. */
function coolDownsOf(
  hot: HotState,
  { overlay, decidedAt, v }: RecordedChoice,
  stream: string,
  ownChanges: OwnCoolDowns,
): CoolDowns {
  if (v < FOLDED_COOL_DOWNS_SINCE_VERSION) {
    const recorded = { since: instant(0), cause: 'recorded', failures: 1 };
    return new Map<AccountId, CoolDown>(overlay?.cooling?.map(([id, until]) => [id, { ...recorded, until }]));
  }
  if (overlay?.coolDowns === undefined) return hot.coolDowns;
  return withPending(hot.coolDowns, ownChanges.pendingAt(decidedAt, overlay.coolDowns, stream));
}

const NONE: ReadonlySet<string> = new Set();

/** @returns the account, or the reason why none was available */
function repeatChoice(
  hot: HotState,
  { requestId, pin, model }: CompletedRequest,
  { overlay, asOf, v }: RecordedChoice,
  before: readonly Attempt[],
  coolDowns: CoolDowns,
): string {
  const selection = select({
    accounts: hot.accounts,
    usage: hot.usage,
    settings: hot.settings,
    pinnedTo: pin && pinnedTo(hot, pin, overlay),
    excludedPlans: v >= PLANS_SINCE_VERSION ? excludedPlans(hot.models, model) : NONE,
    seed: pin?.digest ?? requestId,
    tried: triedBy(before),
    coolDowns,
    turn: overlay?.turn ?? 0,
    now: asOf,
  });
  return selection.kind === 'chosen' ? selection.accountId : selection.reason;
}

/** The account that the request recorded, or that the log says: earlier versions recorded only what the log did not have yet. */
function pinnedTo(
  hot: HotState,
  { digest, resolvedTo }: NonNullable<CompletedRequest['pin']>,
  overlay: RecordedChoice['overlay'],
): AccountId | undefined {
  if (resolvedTo !== undefined) return resolvedTo ?? undefined;
  return overlay?.pinnedTo ?? hot.pins.get(digest, hot.position);
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

/** What an admission expected of the answer. Earlier versions did not record where the estimate came from. */
function estimatesIn(event: RecordedEvent): RecordedDecision[] {
  if (event.type !== 'RequestCompleted' && event.type !== 'RequestRefused') return [];
  const { keyId, model, admission, requestId } = event.data;
  if (keyId === null || admission?.estimateSource === undefined) return [];
  const { estimateSource: source, decidedAt } = admission;
  // A request that a crash left open has the estimate of its last announcement.
  if (source === 'relayed') return [];
  const { outputTokens } = admission.estimate;
  const recorded = describeEstimate({ outputTokens, source });
  const repeat = (hot: HotState) => {
    const expected = hot.answers.expected(keyId, model);
    // The maximum that the client set is not in the log: it replaces the default, or an expectation above it.
    const mayBeMaximum = expected.source === 'default' || outputTokens < expected.outputTokens;
    return source === 'request' && mayBeMaximum ? recorded : describeEstimate(expected);
  };
  return [{ requestId, decidedAt, decision: 'estimate', recorded, repeat }];
}

const describeEstimate = ({ outputTokens, source }: { outputTokens: number; source: string }) =>
  `${outputTokens} output tokens, by ${source}`;

const describeLimit = (limit: RefusedRequest['limit']) =>
  limit
    ? `refused by rule ${limit.ruleId}: ${limit.counted} counted, ${limit.reserved} reserved of ${limit.ceiling}`
    : 'admitted';
