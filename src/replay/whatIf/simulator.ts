import type { AccountId, Instant, Position } from '../../domain/core/brands.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { OwnCoolDowns, processOf } from '../ownCoolDowns.ts';
import type { LateDecision } from '../replayer.ts';
import { Comparison } from './comparison.ts';
import { ReservationShift } from './reservationShift.ts';
import { SimulatedCosts } from './simulatedCosts.ts';
import { type EndedEvent, type RequestEnd, recordedEnd } from './simulatedEnd.ts';
import { SimulatedRequest, type Simulation } from './simulatedRequest.ts';
import { SimulatedState } from './simulatedState.ts';
import type { WhatIf } from './whatIf.ts';

export interface SimulatorOptions {
  /** The fold before the period. The simulator owns and continues it. */
  readonly recorded: HotState;
  readonly whatIf: WhatIf;
  /** The beginning of the period. */
  readonly from: Instant;
  /** Whether the event ends a request of the period. */
  readonly isWanted: (event: RecordedEvent) => boolean;
  /** By how many events the fold stays behind what is read, to meet decisions that are recorded later. */
  readonly lag: number;
  /** Decisions that were recorded later than that, and how their events are read. */
  readonly late?: readonly LateDecision[];
  readonly readEvent?: (at: Position) => RecordedEvent | undefined;
  /** All changes of cool-downs in the log, for late decisions: they may depend on changes that were not read yet. */
  readonly coolDowns?: Iterable<RecordedEvent>;
}

/**
 * Plays the requests of a period again with what the what-if changes. Two states follow the log: the recorded one, and the
 * simulated one, in which every request of the period is decided again at the position where it was decided, and counts as
 * the simulation ended it. Without a change both stay equal.
 */
export class Simulator {
  readonly #options: SimulatorOptions;
  readonly #recorded: HotState;
  readonly #state: SimulatedState;
  readonly #simulation: Simulation;
  readonly #ownCoolDowns = new OwnCoolDowns();
  readonly #comparison: Comparison;
  /** Events that were read and are not folded yet, from `#folded` on. */
  #ahead: RecordedEvent[] = [];
  #folded = 0;
  readonly #waiting = new Map<Position, SimulatedRequest[]>();
  /** By the position of their event. */
  readonly #open = new Map<Position, SimulatedRequest>();
  readonly #lateAt: ReadonlyMap<Position, ReadonlySet<Position>>;
  readonly #turns = new Map<string, number>();

  constructor(options: SimulatorOptions) {
    const { recorded, whatIf, from, late = [] } = options;
    this.#options = options;
    this.#recorded = recorded;
    this.#state = new SimulatedState(recorded, whatIf, from);
    this.#comparison = new Comparison(recorded, this.#state, whatIf);
    this.#lateAt = firstDecisions(late);
    this.#simulation = {
      recorded,
      state: this.#state,
      ownCoolDowns: this.#ownCoolDowns,
      reservations: new ReservationShift(),
      costs: new SimulatedCosts(recorded, whatIf.prices),
      turn: (stream, turn) => this.#turn(stream, turn),
    };
    for (const event of options.coolDowns ?? []) this.#ownCoolDowns.add(event);
    this.#planLate();
  }

  /** Called with the events after the position of the fold, in order. */
  add(event: RecordedEvent): void {
    if (!this.#options.coolDowns) this.#ownCoolDowns.add(event);
    this.#ahead.push(event);
    if (isEnded(event) && !this.#open.has(event.position) && this.#options.isWanted(event)) this.#begin(event);
    if (this.#ahead.length - this.#folded > this.#options.lag) this.#foldNext();
  }

  /** Folds the remaining events. @returns what the recording and the simulation came to */
  end(): Comparison {
    while (this.#folded < this.#ahead.length) this.#foldNext();
    return this.#comparison;
  }

  #begin(event: EndedEvent): void {
    const request = new SimulatedRequest(event, this.#simulation);
    const { nextAt } = request;
    if (nextAt !== undefined && nextAt < this.#recorded.position) {
      // It was decided before the state that the simulation began with.
      this.#comparison.onNotSimulated();
      return;
    }
    this.#open.set(event.position, request);
    this.#plan(request);
  }

  /** Takes the decisions that are due, and waits for the position of the next one. */
  #plan(request: SimulatedRequest): void {
    for (let at = request.nextAt; at !== undefined; at = request.nextAt) {
      if (at > this.#recorded.position) {
        const waiting = this.#waiting.get(at);
        if (waiting) waiting.push(request);
        else this.#waiting.set(at, [request]);
        return;
      }
      request.decide();
    }
  }

  #planLate(): void {
    const { readEvent } = this.#options;
    for (const position of this.#lateAt.get(this.#recorded.position) ?? []) {
      const event = readEvent?.(position);
      if (event && isEnded(event) && !this.#open.has(position)) this.#begin(event);
    }
  }

  #turn(stream: string, recorded: number | undefined): number {
    const process = processOf(stream);
    const turn = recorded ?? this.#turns.get(process) ?? 0;
    this.#turns.set(process, turn + 1);
    return turn;
  }

  #foldNext(): void {
    const event = this.#ahead[this.#folded] as RecordedEvent;
    this.#folded += 1;
    const accountId = event.type === 'AccountUsageObserved' ? event.data.accountId : undefined;
    const usageBefore = accountId === undefined ? undefined : this.#recorded.usage.get(accountId);
    this.#recorded.apply(event);
    if (isEnded(event)) this.#settle(event);
    else this.#state.follow(event, usageBefore);
    if (accountId !== undefined) this.#comparison.onUsage(accountId);
    const { position } = this.#recorded;
    const due = this.#waiting.get(position);
    if (due) {
      this.#waiting.delete(position);
      for (const request of due) this.#plan(request);
    }
    this.#planLate();
    if (this.#folded < this.#options.lag) return;
    this.#ahead = this.#ahead.slice(this.#folded);
    this.#folded = 0;
    if (!this.#options.coolDowns) this.#ownCoolDowns.forgetUpTo(position);
  }

  #settle(event: EndedEvent): void {
    const request = this.#open.get(event.position);
    this.#open.delete(event.position);
    const recorded = request?.recorded ?? recordedEnd(event);
    const simulated = request?.settle() ?? recorded;
    const { data, position, time } = event;
    const { usage, status, accountId, costMicroDollars, isFallback } = simulated;
    // As the fold does: a request that found no account is counted without usage, one that a limit refused is not.
    const isCounted = simulated.kind !== 'refused' || (event.type === 'RequestCompleted' && simulated.rule === null);
    this.#state.count({ ...data, status, accountId, usage, costMicroDollars, attempts: [] }, isCounted);
    if (recorded.accountId !== null && recorded.usage)
      this.#state.load.onServed(recorded.accountId, tokensOf(recorded));
    this.#followAccounts(recorded, simulated, event);
    const pin = 'pin' in data ? data.pin : undefined;
    if (pin && status === '200' && !isFallback && accountId !== null && this.#state.keepsPins)
      this.#state.pins.set(pin.digest, accountId, position);
    if (request) this.#comparison.onRequest(event, recorded, simulated, time);
  }

  #followAccounts(recorded: RequestEnd, simulated: RequestEnd, { time }: EndedEvent): void {
    const [before, after] = [tokensOf(recorded), tokensOf(simulated)];
    if (recorded.accountId !== simulated.accountId || before !== after) {
      this.#move(recorded.accountId, -before, time);
      this.#move(simulated.accountId, after, time);
    }
    for (const { accountId, limitedUntil } of recorded.attempts)
      if (limitedUntil !== undefined) this.#state.followLimit(accountId, time);
  }

  #move(accountId: AccountId | null, tokens: number, now: Instant): void {
    if (accountId === null || tokens === 0) return;
    this.#state.move(accountId, tokens, now);
    this.#comparison.onUsage(accountId);
  }
}

const isEnded = (event: RecordedEvent): event is EndedEvent =>
  event.type === 'RequestCompleted' || event.type === 'RequestRefused';

const tokensOf = ({ usage }: RequestEnd): number => (usage ? usage.inputTokens + usage.outputTokens : 0);

/** Positions of the events whose first decision was taken at each position. */
function firstDecisions(late: readonly LateDecision[]): ReadonlyMap<Position, ReadonlySet<Position>> {
  const first = new Map<Position, Position>();
  for (const { decidedAt, position } of late) {
    const known = first.get(position);
    if (known === undefined || decidedAt < known) first.set(position, decidedAt);
  }
  const byDecidedAt = new Map<Position, Set<Position>>();
  for (const [position, decidedAt] of first) {
    const known = byDecidedAt.get(decidedAt);
    if (known) known.add(position);
    else byDecidedAt.set(decidedAt, new Set([position]));
  }
  return byDecidedAt;
}
