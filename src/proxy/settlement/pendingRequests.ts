import type { AccountId, Instant } from '../../domain/core/brands.ts';
import {
  count,
  type KeyCounters,
  mergeLaterWindows,
  newCounters,
  uncount,
  usedAt,
} from '../../domain/limits/counters.ts';
import type { LimitHolder } from '../../domain/limits/limitLevel.ts';
import { countedAt } from '../../domain/limits/windowsClock.ts';
import { consumptionOf } from '../../domain/request/consumption.ts';
import type { CompletedRequest } from '../../domain/request/events.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { levelsOf, rulesOf } from '../../state/fold/limitLevels.ts';
import { announcementsOf, type OpenRequest } from '../../state/fold/requestFolds.ts';

/** Further pins take effect only when the log has their requests. */
const MAX_PINS = 100_000;

/**
 * Requests whose outcome is durable in this node's outbox and not yet in the log. They are pending state, like the
 * reservations of open requests: decisions record what they used of it, so that they can be replayed from the log.
 */
export class PendingRequests {
  readonly #hot: HotState;
  readonly #counters = new Map<LimitHolder, KeyCounters>();
  readonly #pins = new Map<string, { readonly accountId: AccountId; readonly requestId: string }>();
  readonly #announced = new Map<string, OpenRequest>();
  readonly #completed = new Set<string>();

  constructor(hot: HotState) {
    this.#hot = hot;
  }

  /** Called with every event of this node when it is durable in the outbox. */
  onDurable(event: RecordedEvent): void {
    if (event.type === 'RequestAdmitted') this.#announce(event);
    if (event.type !== 'RequestCompleted') return;
    const { data: request } = event;
    this.#announced.delete(request.requestId);
    this.#completed.add(request.requestId);
    this.#change(request, count);
    const { pin, accountId, status, requestId } = request;
    if (!pin || pin.isFallback || status !== '200' || accountId === null) return;
    if (this.#pins.size < MAX_PINS || this.#pins.has(pin.digest)) this.#pins.set(pin.digest, { accountId, requestId });
  }

  /** Called with every event of the log, of any node. */
  onFolded(event: RecordedEvent): void {
    if (event.type === 'RequestAdmitted') this.#onAnnouncementFolded(event.data.requestId);
    if (event.type === 'ClockAccepted') {
      for (const [holder, counters] of this.#counters) {
        mergeLaterWindows(counters, rulesOf(this.#hot, holder), event.data.to);
      }
    }
    if (event.type !== 'RequestCompleted' || !this.#completed.delete(event.data.requestId)) return;
    const { data: request } = event;
    this.#change(request, uncount);
    if (request.pin && this.#pins.get(request.pin.digest)?.requestId === request.requestId) {
      this.#pins.delete(request.pin.digest);
    }
    // If rules changed in between, the counters keep remainders. This clears them when nothing is pending.
    if (this.#completed.size === 0) this.#counters.clear();
  }

  /** @returns the usage in the window that contains `now`, in the unit of the rule's counter */
  usedOn(holder: LimitHolder, ruleId: number, now: Instant): number {
    const counters = this.#counters.get(holder);
    const rule = counters && rulesOf(this.#hot, holder).find(({ id }) => id === ruleId);
    return rule ? usedAt(counters, rule, now) : 0;
  }

  /** @returns the account to which a conversation is pinned by a pending request */
  pinOf(digest: string): AccountId | undefined {
    return this.#pins.get(digest)?.accountId;
  }

  /** @returns the requests that are open according to log and outbox together */
  openRequests(): OpenRequest[] {
    const open = new Map(this.#hot.openRequests);
    for (const [requestId, announced] of this.#announced) {
      const folded = open.get(requestId);
      const announcements = announcementsOf(announced) + (folded ? announcementsOf(folded) : 0);
      open.set(requestId, { ...announced, announcements });
    }
    const { lateAnnouncements } = this.#hot;
    return [...open.values()].filter(
      ({ data: { requestId } }) => !this.#completed.has(requestId) && !lateAnnouncements.has(requestId),
    );
  }

  #announce(event: OpenRequest): void {
    const { requestId } = event.data;
    const before = this.#announced.get(requestId);
    this.#announced.set(requestId, before ? { ...event, announcements: announcementsOf(before) + 1 } : event);
  }

  #onAnnouncementFolded(requestId: string): void {
    const announced = this.#announced.get(requestId);
    if (!announced) return;
    const announcements = announcementsOf(announced) - 1;
    if (announcements > 0) this.#announced.set(requestId, { ...announced, announcements });
    else this.#announced.delete(requestId);
  }

  #change(request: CompletedRequest, change: typeof count): void {
    const levels = levelsOf(this.#hot, request);
    if (levels.length === 0) return;
    const admittedAt = countedAt(this.#hot.windowsClock, request);
    const counted = { model: request.model, admittedAt, consumption: consumptionOf(request) };
    for (const { holder, rules } of levels) {
      let counters = this.#counters.get(holder);
      if (!counters) {
        counters = newCounters();
        this.#counters.set(holder, counters);
      }
      change(counters, rules, counted);
    }
  }
}
