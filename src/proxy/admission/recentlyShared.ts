import type { Instant } from '../../domain/core/brands.ts';
import { holdersOf, type LimitHolder } from '../../domain/limits/limitLevel.ts';
import { appliesTo, type LimitRule } from '../../domain/limits/limitRule.ts';
import { amountOf, type Consumption } from '../../domain/limits/limitTypes.ts';
import { windowIndexAt } from '../../domain/limits/limitWindows.ts';
import { countedAt, type WindowsClock } from '../../domain/limits/windowsClock.ts';
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
 * about the same time. Until they surely have, this node must not take its share of the rest then. An event that took
 * long to come back is recent for longer: what slowed it down, a busy machine or store, holds for the others as well.
 */
export class RecentlyShared {
  readonly #options: RecentlySharedOptions;
  readonly #byHolder = new Map<LimitHolder, RecentEvents>();

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
      const recent = this.#current(holder) ?? new RecentEvents();
      recent.add(shared);
      this.#byHolder.set(holder, recent);
    }
  }

  /** @returns the amount in the window that contains `now`, in the unit of the rule's counter */
  amountOn(holder: LimitHolder, ruleId: number, now: Instant): number {
    const { hot } = this.#options;
    const recent = this.#current(holder);
    const rule = recent && rulesOf(hot, holder).find(({ id }) => id === ruleId);
    return rule ? recent.amountOn(rule, now, hot.windowsClock) : 0;
  }

  /** Forgets what is recent no longer. */
  #current(holder: LimitHolder): RecentEvents | undefined {
    const recent = this.#byHolder.get(holder);
    recent?.forgetUntil(this.#options.now());
    if (recent?.isEmpty) {
      this.#byHolder.delete(holder);
      return undefined;
    }
    return recent;
  }
}

/** What the recent events of one holder come to on one rule. */
interface Sum {
  readonly rule: LimitRule;
  readonly window: number;
  readonly clock: Pick<WindowsClock, 'accepted'>;
  amount: number;
  /** Number of the events that are added up, the forgotten ones included. */
  upTo: number;
}

/**
 * The recent events of one holder, in the order in which they were read. Each is added to a sum once and taken off it once: a
 * busy key has thousands, and each admission asks for the amounts of all its rules.
 */
class RecentEvents {
  #events: Shared[] = [];
  /** Number of events at the start of the array that are recent no longer. */
  #forgotten = 0;
  readonly #sums = new Map<number, Sum>();

  get isEmpty(): boolean {
    return this.#forgotten === this.#events.length;
  }

  add(shared: Shared): void {
    this.#events.push(shared);
  }

  /** Those behind a slow one are recent as long as it is. */
  forgetUntil(now: number): void {
    for (
      let first = this.#events[this.#forgotten];
      first && first.until <= now;
      first = this.#events[this.#forgotten]
    ) {
      for (const sum of this.#sums.values()) if (sum.upTo > this.#forgotten) sum.amount -= amountIn(sum, first);
      this.#forgotten += 1;
    }
    if (this.#forgotten > this.#events.length / 2) this.#trim();
  }

  amountOn(rule: LimitRule, now: Instant, clock: WindowsClock): number {
    const sum = this.#sumOf(rule, windowIndexAt(rule, now), clock);
    for (const shared of this.#events.slice(Math.max(sum.upTo, this.#forgotten))) sum.amount += amountIn(sum, shared);
    sum.upTo = this.#events.length;
    return sum.amount;
  }

  #sumOf(rule: LimitRule, window: number, { accepted }: WindowsClock): Sum {
    const known = this.#sums.get(rule.id);
    if (known?.rule === rule && known.window === window && known.clock.accepted === accepted) return known;
    const sum = { rule, window, clock: { accepted }, amount: 0, upTo: 0 };
    this.#sums.set(rule.id, sum);
    return sum;
  }

  #trim(): void {
    this.#events = this.#events.slice(this.#forgotten);
    for (const sum of this.#sums.values()) sum.upTo = Math.max(0, sum.upTo - this.#forgotten);
    this.#forgotten = 0;
  }
}

function amountIn({ rule, window, clock }: Sum, { model, times, consumption }: Shared): number {
  const counts = appliesTo(rule, model) && windowIndexAt(rule, countedAt(clock, times)) === window;
  return counts ? amountOf(rule.limitType, consumption) : 0;
}
