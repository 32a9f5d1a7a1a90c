import type { Instant } from '../../domain/core/brands.ts';
import type { PerRule } from '../../domain/limits/admit.ts';
import type { LimitHolder } from '../../domain/limits/limitLevel.ts';
import { appliesTo, type LimitRule } from '../../domain/limits/limitRule.ts';
import { amountOf } from '../../domain/limits/limitTypes.ts';
import { countedAt } from '../../domain/limits/windowsClock.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { levelsOf, rulesOf } from '../../state/fold/limitLevels.ts';
import type { OpenRequest } from '../../state/fold/requestFolds.ts';
import { Ledger } from './ledger.ts';

/**
 * What open requests reserve on limits that are announced in the log, so that every node knows of them. A request reserves
 * only in the window in which it was admitted, so a node that never comes back blocks no later window.
 */
export class AnnouncedReservations {
  /** Of other nodes, and of this node's earlier starts until they are settled as abandoned. */
  readonly #foreign = new Ledger();
  /** Of this process, whose own ledger has them too. */
  readonly #own = new Ledger();
  readonly #hot: HotState;
  readonly #isFromThisStart: (stream: string) => boolean;

  constructor(hot: HotState, isFromThisStart: (stream: string) => boolean) {
    this.#hot = hot;
    this.#isFromThisStart = isFromThisStart;
    for (const event of hot.openRequests.values()) this.onFolded(event);
  }

  /** Called with every event of the log. */
  onFolded(event: RecordedEvent): void {
    switch (event.type) {
      case 'RequestAdmitted':
        // The fold ignores an announcement that comes after the end of its request.
        if (this.#hot.openRequests.has(event.data.requestId)) this.#reserve(event);
        return;
      case 'RequestCompleted':
        this.#foreign.release(event.data.requestId);
        this.#own.release(event.data.requestId);
        return;
      case 'ClockAccepted':
        for (const ledger of [this.#foreign, this.#own]) ledger.mergeLaterWindows(this.#rulesOf, event.data.to);
    }
  }

  /** Called when the end of a request is durable in this node's outbox, before the log has it. Other nodes still count it. */
  onDurable(event: RecordedEvent): void {
    if (event.type === 'RequestCompleted') this.#foreign.release(event.data.requestId);
  }

  /** @returns what requests outside this process reserve in the window that contains `now`, in the unit of the rule's counter */
  foreignOn(holder: LimitHolder, ruleId: number, now: Instant): number {
    return this.#foreign.reservedOn(holder, ruleId, now);
  }

  /** @returns the same of the requests of this process: the part of the ledger that other nodes know of */
  ownOn(holder: LimitHolder, ruleId: number, now: Instant): number {
    return this.#own.reservedOn(holder, ruleId, now);
  }

  readonly #rulesOf = (holder: LimitHolder): readonly LimitRule[] => rulesOf(this.#hot, holder);

  #reserve({ data, stream }: OpenRequest): void {
    const { requestId, model, admission } = data;
    if (!admission) return;
    const reservations = levelsOf(this.#hot, data).map((level) => ({
      level,
      amounts: level.rules
        .filter((rule) => appliesTo(rule, model))
        .map((rule): PerRule[number] => [rule.id, amountOf(rule.limitType, admission.estimate)]),
    }));
    const ledger = this.#isFromThisStart(stream) ? this.#own : this.#foreign;
    // A request is announced again when it has grown.
    ledger.release(requestId);
    ledger.reserve(requestId, countedAt(this.#hot.windowsClock, data), reservations);
  }
}
