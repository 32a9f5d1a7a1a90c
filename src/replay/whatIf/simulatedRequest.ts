import type { AccountId, Instant, Position } from '../../domain/core/brands.ts';
import { admit } from '../../domain/limits/admit.ts';
import { appliesTo, type LimitRule } from '../../domain/limits/limitRule.ts';
import { amountOf, type Consumption } from '../../domain/limits/limitTypes.ts';
import { windowIndexAt } from '../../domain/limits/limitWindows.ts';
import { windowsTime } from '../../domain/limits/windowsClock.ts';
import { excludedPlans } from '../../domain/modelCatalogue/excludedPlans.ts';
import type { Attempt, CompletedRequest, TokenUsage } from '../../domain/request/events.ts';
import { MAX_WAITING_MS } from '../../domain/routing/maxWaiting.ts';
import { SELECT_VERSION, type SelectInput, type Selection, select, triedBy } from '../../domain/routing/select.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { pinnedTo, selectInputOf } from '../choices.ts';
import type { OwnCoolDowns, RecordedChoice } from '../ownCoolDowns.ts';
import { type Call, type ChoicePoint, callsOf, choicePointsOf, failedByAccount } from './calls.ts';
import { type LimitSubject, limitSubjectsOf } from './limitSubjects.ts';
import type { ReservationShift, ShiftedReservation } from './reservationShift.ts';
import type { SimulatedCosts } from './simulatedCosts.ts';
import { type EndedEvent, LIMIT_REACHED, noAccount, type RequestEnd, recordedEnd } from './simulatedEnd.ts';
import { FIRST_SIMULATED_RULE_ID, type SimulatedState } from './simulatedState.ts';

/** What the requests of a simulation share. */
export interface Simulation {
  readonly recorded: HotState;
  readonly state: SimulatedState;
  readonly ownCoolDowns: OwnCoolDowns;
  readonly reservations: ReservationShift;
  readonly costs: SimulatedCosts;
  /** The next turn of the process that wrote the stream, for strategies that take turns. @param recorded its turn, if known */
  readonly turn: (stream: string, recorded: number | undefined) => number;
}

/** Bounds the emulated waits for an account that cools down. */
const MAX_WAITS = 5;
const NO_CALLS: readonly Call[] = [];

interface Chosen {
  readonly accountId: AccountId;
  readonly isFallback: boolean;
  readonly choice: RecordedChoice;
  readonly at: Instant;
}

/**
 * A recorded request that is decided again in the simulation: at the moments at which it was decided, by the same functions.
 * What an account answered is in the recording if it asked that account; otherwise it is assumed to answer as the one that did.
 */
export class SimulatedRequest {
  readonly event: EndedEvent;
  readonly recorded: RequestEnd;
  readonly #simulation: Simulation;
  readonly #calls: readonly Call[];
  readonly #points: readonly ChoicePoint[];
  #nextPoint = 0;
  #needsAdmission = true;
  readonly #attempts: Attempt[] = [];
  readonly #answered = new Set<Call>();
  #reserved: readonly ShiftedReservation[] = [];
  #isFallback = false;
  #end: RequestEnd | undefined;

  constructor(event: EndedEvent, simulation: Simulation) {
    this.event = event;
    this.recorded = recordedEnd(event);
    this.#simulation = simulation;
    const completed = event.type === 'RequestCompleted' ? event.data : undefined;
    this.#calls = completed ? callsOf(completed.attempts) : NO_CALLS;
    this.#points = choicePointsOf(this.#calls, event.data.refusal);
  }

  /** Position of the fold at which the next decision is taken; undefined when none is left. */
  get nextAt(): Position | undefined {
    if (this.#end) return undefined;
    const { admission } = this.event.data;
    if (this.#needsAdmission && admission) return admission.decidedAt;
    return this.#points[this.#nextPoint]?.choice.decidedAt;
  }

  /** Takes the next decision. Called when the fold is at `nextAt`. */
  decide(): void {
    if (this.#needsAdmission) {
      this.#needsAdmission = false;
      this.#admit();
      // A request that the recording refused has no choice of its own: it is made at once.
      if (this.#end || this.event.data.admission !== undefined) return;
    }
    const point = this.#points[this.#nextPoint];
    this.#nextPoint += 1;
    if (point) this.#choose(point);
  }

  /** How the request ends in the simulation. Called once, when the log has its event: what it reserved is free again. */
  settle(): RequestEnd {
    for (const each of this.#reserved) this.#simulation.reservations.add({ ...each, amount: -each.amount });
    return this.#end ?? this.#endAsRecorded();
  }

  #admit(): void {
    const { data } = this.event;
    const { state, reservations } = this.#simulation;
    const subjects = limitSubjectsOf(state, data);
    if (subjects.every(({ rules }) => rules.length === 0)) {
      this.#onAdmitted();
      return;
    }
    const now = data.admission?.asOf ?? windowsTime(state.windowsClock, data.requestedAt);
    const estimate = this.#estimate();
    for (const subject of subjects) {
      const name = `${subject.level} ${subject.id}`;
      const verdict = admit({
        rules: subject.rules,
        model: data.model,
        counters: subject.counters,
        reservedOn: (ruleId) => {
          const rule = subject.rules.find(({ id }) => id === ruleId) as LimitRule;
          const shift = reservations.on(name, ruleId, windowIndexAt(rule, now));
          return Math.max(0, this.#recordedReserved(subject, ruleId) + shift);
        },
        estimate,
        now,
      });
      if (verdict.kind === 'refused') {
        // The recording reserved what the simulation does not.
        this.#reserve(this.#reservedBy(subjects, estimate, now, false));
        this.#refuse(LIMIT_REACHED, { level: subject.level, subject: subject.id, ruleId: verdict.rule.id });
        return;
      }
    }
    this.#reserve(this.#reservedBy(subjects, estimate, now, true));
    this.#onAdmitted();
  }

  #reserve(shifted: readonly ShiftedReservation[]): void {
    this.#reserved = shifted;
    for (const each of shifted) this.#simulation.reservations.add(each);
  }

  /** The difference between what the simulation and the recording reserve for this request. */
  #reservedBy(
    subjects: readonly LimitSubject[],
    estimate: Consumption,
    now: Instant,
    isAdmitted: boolean,
  ): ShiftedReservation[] {
    const { data } = this.event;
    const wasAdmitted = this.recorded.reason !== LIMIT_REACHED && data.admission !== undefined;
    const recordedEstimate = data.admission?.estimate;
    const shifted: ShiftedReservation[] = [];
    for (const { level, id, rules } of subjects) {
      for (const rule of rules) {
        if (!appliesTo(rule, data.model)) continue;
        const simulated = isAdmitted ? amountOf(rule.limitType, estimate) : 0;
        const isRecorded = rule.id < FIRST_SIMULATED_RULE_ID && wasAdmitted && recordedEstimate !== undefined;
        const recorded = isRecorded ? amountOf(rule.limitType, recordedEstimate) : 0;
        if (simulated === recorded) continue;
        const window = windowIndexAt(rule, now);
        shifted.push({ subject: `${level} ${id}`, ruleId: rule.id, window, amount: simulated - recorded });
      }
    }
    return shifted;
  }

  #recordedReserved({ level, id }: LimitSubject, ruleId: number): number {
    const { admission, keyId } = this.event.data;
    const found = admission?.reserved.find(
      ([ofLevel, subject, rule]) => ofLevel === level && (subject ?? keyId) === id && rule === ruleId,
    );
    return found?.[3] ?? 0;
  }

  /** What the request is expected to use: the recorded estimate, at the prices of the simulation. */
  #estimate(): Consumption {
    const { data } = this.event;
    const { recorded, costs } = this.#simulation;
    if (data.admission) return costs.estimate(data, data.admission.estimate);
    const usage = this.recorded.usage;
    const outputTokens = data.keyId === null ? 0 : recorded.answers.expected(data.keyId, data.model).outputTokens;
    return costs.estimate(data, { inputTokens: usage?.inputTokens ?? 0, outputTokens, costMicroDollars: 0 }, true);
  }

  #onAdmitted(): void {
    if (this.recorded.reason !== LIMIT_REACHED) return;
    const { data } = this.event;
    const { admission } = data;
    if (!admission) return;
    const choice = { decidedAt: admission.decidedAt, asOf: data.requestedAt, v: SELECT_VERSION, overlay: undefined };
    this.#choose({ choice, waitedMs: 0, isLast: false });
  }

  #choose({ choice, waitedMs, isLast }: ChoicePoint): void {
    const { selection, at } = this.#select(choice, isLast ? 0 : MAX_WAITING_MS - waitedMs);
    if (selection.kind === 'chosen') this.#call({ ...selection, choice, at });
    else if (this.#attempts.length === 0) this.#refuse(noAccount(selection.reason), null);
    else this.#failAsLastAttempt();
  }

  #select(choice: RecordedChoice, mayWaitMs: number): { readonly selection: Selection; readonly at: Instant } {
    const input = this.#inputOf(choice);
    let [now, left] = [input.now, mayWaitMs];
    let selection = select(input);
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      if (selection.kind === 'chosen' || selection.reason !== 'cooling' || selection.until === null) break;
      const ms = selection.until - now;
      if (ms > left) break;
      left -= ms;
      now = selection.until;
      selection = select({ ...input, now });
    }
    return { selection, at: now };
  }

  #inputOf(choice: RecordedChoice): SelectInput {
    const { recorded, state, ownCoolDowns, turn } = this.#simulation;
    const { data, stream, position } = this.event;
    const { settings } = state;
    const pin = state.keepsPins && 'pin' in data ? data.pin : undefined;
    const request = { data: { ...data, pin } as CompletedRequest, stream, position };
    return {
      ...selectInputOf(recorded, request, choice, this.#attempts, ownCoolDowns),
      accounts: state.accounts,
      usage: state.usage,
      settings,
      pinnedTo: pin && this.#pinnedTo(pin, choice),
      excludedPlans: excludedPlans(recorded.models, data.model),
      tried: triedBy(this.#attempts),
      turn: turn(stream, choice.overlay?.turn),
    };
  }

  /** The account of the conversation: the recorded one, unless the simulation has pinned it elsewhere. */
  #pinnedTo(pin: NonNullable<CompletedRequest['pin']>, choice: RecordedChoice): AccountId | undefined {
    const { recorded, state } = this.#simulation;
    const simulated = state.pins.get(pin.digest, recorded.position);
    const isSame = simulated === recorded.pins.get(pin.digest, recorded.position);
    return isSame ? pinnedTo(recorded, pin, choice.overlay) : simulated;
  }

  #call({ accountId, isFallback, choice, at }: Chosen): void {
    this.#isFallback = isFallback;
    const call = this.#calls.find((each) => each.last.accountId === accountId && !this.#answered.has(each));
    if (!call) {
      const { decidedAt, v, overlay } = choice;
      const basis = { decidedAt, asOf: at, v, ...(overlay && { overlay }) };
      this.#attempts.push({ ...basis, accountId, startedAt: at, endedAt: at, outcome: 'ok' });
      this.#answerAsAssumed(accountId);
      return;
    }
    this.#answered.add(call);
    this.#attempts.push(...call.attempts);
    const hasMorePoints = this.#nextPoint < this.#points.length;
    // Unless another account may be tried, the request ends with this answer, as it did in the recording.
    const isLastCall = call === this.#calls.at(-1) && !(failedByAccount(call.last) && this.recorded.usage === null);
    if (call.last.outcome === 'ok' || isLastCall || !hasMorePoints) {
      this.#end = { ...this.#endAsRecorded(), accountId };
    }
  }

  /** The recording did not ask this account. */
  #answerAsAssumed(accountId: AccountId): void {
    const last = this.#calls.at(-1)?.last;
    if (last && !failedByAccount(last)) {
      this.#end = { ...this.#endAsRecorded(), accountId, isAnswerAssumed: true };
      return;
    }
    const { data } = this.event;
    const estimate = data.admission?.estimate;
    const usage: TokenUsage = this.recorded.usage ?? {
      inputTokens: estimate?.inputTokens ?? 0,
      cachedInputTokens: 0,
      outputTokens: estimate?.outputTokens ?? 0,
      reasoningTokens: 0,
      isEstimated: true,
    };
    this.#end = {
      ...this.#base(),
      kind: 'served',
      status: '200',
      accountId,
      usage,
      costMicroDollars: this.#simulation.costs.of(data, usage),
      isAnswerAssumed: true,
      assumedUsage: this.recorded.usage ? null : estimate ? 'estimate' : 'unknown',
    };
  }

  #endAsRecorded(): RequestEnd {
    const { recorded } = this;
    const { costs } = this.#simulation;
    const isSame = this.#nextPoint === 0;
    return {
      ...recorded,
      costMicroDollars: costs.ofRecorded(this.event.data, recorded),
      isFallback: isSame ? recorded.isFallback : this.#isFallback,
      attempts: isSame ? recorded.attempts : this.#attempts,
    };
  }

  /** No further account is available: the request ends with the error of its last attempt. */
  #failAsLastAttempt(): void {
    const { recorded } = this;
    const last = this.#attempts.at(-1) as Attempt;
    const isAsRecorded = this.event.data.refusal !== undefined && recorded.accountId === last.accountId;
    const failure = isAsRecorded
      ? { status: recorded.status, reason: recorded.reason }
      : { status: '502', reason: last.code ?? last.outcome };
    this.#end = { ...this.#base(), ...failure, kind: 'failed', accountId: last.accountId };
  }

  #refuse(reason: string, rule: RequestEnd['rule']): void {
    this.#end = { ...this.#base(), kind: 'refused', status: '429', reason, rule };
  }

  #base(): RequestEnd {
    return {
      kind: 'refused',
      status: '',
      accountId: null,
      reason: null,
      rule: null,
      usage: null,
      costMicroDollars: null,
      isFallback: this.#isFallback,
      attempts: this.#attempts,
      isAnswerAssumed: false,
      assumedUsage: null,
    };
  }
}
