import type { ApiKeyId, Instant } from '../../domain/core/brands.ts';
import { appliesTo } from '../../domain/limits/limitRule.ts';
import { amountOf } from '../../domain/limits/limitTypes.ts';
import { windowIndexAt } from '../../domain/limits/limitWindows.ts';
import { countedAt } from '../../domain/limits/windowsClock.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import type { HotState, OpenRequest } from '../../state/fold/hotState.ts';

/**
 * What open requests outside this process reserve on limits: requests of other nodes, and of this node's earlier starts until
 * they are settled as abandoned. The ledger has the requests of this process. A request reserves only in the window in which
 * it was admitted, so a node that never comes back blocks no later window.
 */
export class ForeignReservations {
  readonly #open = new Map<string, OpenRequest>();
  readonly #hot: HotState;
  readonly #isFromThisStart: (stream: string) => boolean;

  constructor(hot: HotState, isFromThisStart: (stream: string) => boolean) {
    this.#hot = hot;
    this.#isFromThisStart = isFromThisStart;
    for (const event of hot.openRequests.values()) this.onFolded(event);
  }

  /** Called with every event of the log. */
  onFolded(event: RecordedEvent): void {
    if (event.type === 'RequestAdmitted') {
      if (!this.#isFromThisStart(event.stream)) this.#open.set(event.data.requestId, event);
    } else if (event.type === 'RequestCompleted' && this.#open.size > 0) {
      this.#open.delete(event.data.requestId);
    }
  }

  /** @returns the amount in the window that contains `now`, in the unit of the rule's counter */
  reservedOn(keyId: ApiKeyId, ruleId: number, now: Instant): number {
    const rule = this.#open.size > 0 && this.#hot.apiKeys.get(keyId)?.rules.find(({ id }) => id === ruleId);
    if (!rule) return 0;
    const window = windowIndexAt(rule, now);
    let sum = 0;
    for (const { data } of this.#open.values()) {
      if (data.keyId !== keyId || !data.admission || !appliesTo(rule, data.model)) continue;
      if (windowIndexAt(rule, countedAt(this.#hot.windowsClock, data)) === window)
        sum += amountOf(rule.limitType, data.admission.estimate);
    }
    return sum;
  }
}
