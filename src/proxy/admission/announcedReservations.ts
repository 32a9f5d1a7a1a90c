import type { ApiKeyId, Instant } from '../../domain/core/brands.ts';
import { appliesTo, type LimitRule } from '../../domain/limits/limitRule.ts';
import { amountOf } from '../../domain/limits/limitTypes.ts';
import { windowIndexAt } from '../../domain/limits/limitWindows.ts';
import { countedAt } from '../../domain/limits/windowsClock.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import type { HotState, OpenRequest } from '../../state/fold/hotState.ts';

type Requests = Map<string, OpenRequest>;

/**
 * What open requests reserve on limits that are announced in the log, so that every node knows of them. A request reserves
 * only in the window in which it was admitted, so a node that never comes back blocks no later window.
 */
export class AnnouncedReservations {
  /** Of other nodes, and of this node's earlier starts until they are settled as abandoned. */
  readonly #foreign = new Map<ApiKeyId, Requests>();
  /** Of this process, which the ledger has too. */
  readonly #own = new Map<ApiKeyId, Requests>();
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
      const { keyId, requestId, admission } = event.data;
      if (keyId === null || !admission) return;
      const byKey = this.#isFromThisStart(event.stream) ? this.#own : this.#foreign;
      const requests = byKey.get(keyId);
      if (requests) requests.set(requestId, event);
      else byKey.set(keyId, new Map([[requestId, event]]));
    } else if (event.type === 'RequestCompleted') {
      remove(this.#foreign, event.data);
      remove(this.#own, event.data);
    }
  }

  /** Called when the end of a request is durable in this node's outbox, before the log has it. Other nodes still count it. */
  onDurable(event: RecordedEvent): void {
    if (event.type === 'RequestCompleted') remove(this.#foreign, event.data);
  }

  /** @returns what requests outside this process reserve in the window that contains `now`, in the unit of the rule's counter */
  foreignOn(keyId: ApiKeyId, ruleId: number, now: Instant): number {
    return this.#sum(this.#foreign.get(keyId), keyId, ruleId, now);
  }

  /** @returns the same of the requests of this process: the part of the ledger that other nodes know of */
  ownOn(keyId: ApiKeyId, ruleId: number, now: Instant): number {
    return this.#sum(this.#own.get(keyId), keyId, ruleId, now);
  }

  #sum(requests: Requests | undefined, keyId: ApiKeyId, ruleId: number, now: Instant): number {
    const rule = requests && this.#hot.apiKeys.get(keyId)?.rules.find(({ id }) => id === ruleId);
    if (!rule) return 0;
    const window = windowIndexAt(rule, now);
    let sum = 0;
    for (const { data } of requests.values()) sum += this.#amountIn(window, rule, data);
    return sum;
  }

  #amountIn(window: number, rule: LimitRule, data: OpenRequest['data']): number {
    if (!data.admission || !appliesTo(rule, data.model)) return 0;
    const isInWindow = windowIndexAt(rule, countedAt(this.#hot.windowsClock, data)) === window;
    return isInWindow ? amountOf(rule.limitType, data.admission.estimate) : 0;
  }
}

function remove(
  byKey: Map<ApiKeyId, Requests>,
  { keyId, requestId }: { readonly keyId: ApiKeyId | null; readonly requestId: string },
): void {
  const requests = keyId === null ? undefined : byKey.get(keyId);
  if (!requests?.delete(requestId) || keyId === null) return;
  if (requests.size === 0) byKey.delete(keyId);
}
