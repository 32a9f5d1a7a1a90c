import type { Instant } from '../../domain/core/brands.ts';
import { holdersOf, type LimitHolder } from '../../domain/limits/limitLevel.ts';
import { appliesTo } from '../../domain/limits/limitRule.ts';
import { amountOf, type Consumption } from '../../domain/limits/limitTypes.ts';
import { windowIndexAt } from '../../domain/limits/limitWindows.ts';
import { countedAt } from '../../domain/limits/windowsClock.ts';
import { consumptionOf } from '../../domain/request/consumption.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { rulesOf } from '../../state/fold/limitLevels.ts';

export interface RecentlySharedOptions {
  readonly hot: HotState;
  /** Whether an event of this stream is of this process, and other nodes read it too. */
  readonly isShared: (stream: string) => boolean;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** The clock that the events of this process bear. */
  readonly time: () => Instant;
}

interface Shared {
  readonly model: string;
  readonly times: Parameters<typeof countedAt>[1];
  readonly consumption: Consumption;
  readonly until: number;
}

/** Far more than the nodes differ in when they read an event of the store while none of them is short of CPU. */
const RECENT_MS = 500;
/** As often as its own way through the store an event may take to the other nodes: they may be slower than this one. */
const SLOWER = 4;
/** A node that reads nothing for so long is missed by the others. */
const MOST_MS = 12_000;

/**
 * What this node has lately read back from the log of its own requests: announcements and ends. The other nodes read them at
 * about the same time. Until they surely have, this node must not take its share of what is left then. An event that took
 * long to come back is recent for longer: what slowed it down, a busy machine or store, holds for the others as well.
 */
export class RecentlyShared {
  readonly #options: RecentlySharedOptions;
  /** In the order in which they were read. */
  readonly #byHolder = new Map<LimitHolder, Shared[]>();

  constructor(options: RecentlySharedOptions) {
    this.#options = options;
  }

  /** Called with every event of the log. */
  onFolded(event: RecordedEvent): void {
    if (event.type !== 'RequestAdmitted' && event.type !== 'RequestCompleted') return;
    const { data, type } = event;
    if (data.keyId === null || !data.admission || !this.#options.isShared(event.stream)) return;
    const { now, time } = this.#options;
    const tookMs = time() - event.time;
    const shared: Shared = {
      model: data.model,
      times: { requestedAt: data.requestedAt, admission: data.admission },
      consumption: type === 'RequestAdmitted' ? data.admission.estimate : consumptionOf(data),
      until: now() + Math.min(MOST_MS, Math.max(RECENT_MS, SLOWER * tookMs)),
    };
    for (const holder of holdersOf(data)) {
      const recent = this.#current(holder);
      recent.push(shared);
      this.#byHolder.set(holder, recent);
    }
  }

  /** @returns the amount in the window that contains `now`, in the unit of the rule's counter */
  amountOn(holder: LimitHolder, ruleId: number, now: Instant): number {
    const { hot } = this.#options;
    const recent = this.#current(holder);
    const rule = recent.length > 0 && rulesOf(hot, holder).find(({ id }) => id === ruleId);
    if (!rule) return 0;
    const window = windowIndexAt(rule, now);
    let sum = 0;
    for (const { model, times, consumption } of recent) {
      if (appliesTo(rule, model) && windowIndexAt(rule, countedAt(hot.windowsClock, times)) === window) {
        sum += amountOf(rule.limitType, consumption);
      }
    }
    return sum;
  }

  /** Forgets what is recent no longer. */
  #current(holder: LimitHolder): Shared[] {
    const all = this.#byHolder.get(holder);
    if (!all) return [];
    const now = this.#options.now();
    // Those behind a slow one are recent as long as it is.
    const first = all.findIndex(({ until }) => until > now);
    if (first === 0) return all;
    if (first === -1) {
      this.#byHolder.delete(holder);
      return [];
    }
    all.splice(0, first);
    return all;
  }
}
