import type { Instant } from '../../domain/core/brands.ts';
import { usedAt } from '../../domain/limits/counters.ts';
import type { LimitedRequest, LimitHolder } from '../../domain/limits/limitLevel.ts';
import { type LimitRule, stopsStreams } from '../../domain/limits/limitRule.ts';
import { type Consumption, ceilingOf } from '../../domain/limits/limitTypes.ts';
import { countedAt } from '../../domain/limits/windowsClock.ts';
import type { ModelPrice } from '../../domain/pricing/prices.ts';
import type { Admission } from '../../domain/request/events.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { levelsOf } from '../../state/fold/limitLevels.ts';
import type { ProxyError } from '../errors/proxyError.ts';
import { consumptionFor } from './estimate.ts';
import type { Ledger } from './ledger.ts';
import { limitReached } from './limitExceeded.ts';
import { StreamStop } from './streamStop.ts';

/** What all meters share. */
export interface LimitMeterServices {
  readonly hot: Pick<HotState, 'apiKeys' | 'owners' | 'teams' | 'counters' | 'windowsClock'>;
  readonly ledger: Ledger;
  /** What this node's requests have used that neither the counters nor the ledger contain. */
  readonly usedElsewhere: (holder: LimitHolder, ruleId: number, at: Instant) => number;
  readonly now: () => Instant;
}

/** An admitted request and what its usage depends on. */
export interface Metered {
  readonly request: {
    readonly requestId: string;
    readonly model: string;
    readonly serviceTier: string | null;
    readonly inputTokens: number;
    readonly maxOutputTokens: number | null;
    readonly requestedAt: Instant;
  };
  /** Whose limits count it, also after its key has moved. */
  readonly of: LimitedRequest;
  readonly price: ModelPrice | undefined;
  readonly admission: Admission;
}

/** A reservation that has reached `max_output_tokens` grows with every step, and each announcement is an event. */
const MIN_GROWTH = 0.1;

/**
 * Follows what an open request uses of its limits: its reservation grows with it, and a stream ends at a limit
 * with `on_exceeded: stop`.
 */
export class LimitMeter {
  readonly #services: LimitMeterServices;
  readonly #metered: Metered;
  /** The output that its reservation covers. */
  #reservedOutputTokens: number;
  #inputTokens = 0;
  #outputTokens = 0;
  /** The output that the log has announced, as far as it has. */
  #announcedOutputTokens: number;
  /** Undefined unless a limit stops this stream. */
  readonly stop: StreamStop | undefined;

  /** @param stops whether the response is a stream that a limit stops */
  constructor(services: LimitMeterServices, metered: Metered, stops: boolean) {
    this.#services = services;
    this.#metered = metered;
    this.#reservedOutputTokens = metered.admission.estimate.outputTokens;
    this.#announcedOutputTokens = this.#reservedOutputTokens;
    if (stops) this.stop = new StreamStop((outputTokens) => this.#useUpTo(outputTokens));
  }

  /** Whether the reservation has grown by so much since it was last announced that it has to be announced again. */
  get hasGrown(): boolean {
    return this.#reservedOutputTokens - this.#announcedOutputTokens > this.#announcedOutputTokens * MIN_GROWTH;
  }

  /** Called when what is reserved now is announced. */
  onAnnounced(): void {
    this.#announcedOutputTokens = this.#reservedOutputTokens;
  }

  /** What the request reserves now. */
  get reserved(): Consumption {
    return this.#consumption(this.#reservedOutputTokens);
  }

  /** Called twice a second while the provider is called. Both numbers are estimates. */
  use(inputTokens: number, outputTokens: number): void {
    if (inputTokens === this.#inputTokens && outputTokens === this.#outputTokens) return;
    this.#inputTokens = inputTokens;
    this.#outputTokens = outputTokens;
    const { ledger } = this.#services;
    const { requestId, maxOutputTokens } = this.#metered.request;
    ledger.use(requestId, this.#consumption(outputTokens));
    if (outputTokens <= this.#reservedOutputTokens) return;
    // Doubled, because answers that are longer than expected are often much longer.
    const doubled = Math.min(2 * this.#reservedOutputTokens, maxOutputTokens ?? Number.POSITIVE_INFINITY);
    this.#reservedOutputTokens = Math.max(outputTokens, doubled);
    ledger.grow(requestId, this.reserved);
  }

  #useUpTo(outputTokens: number): ProxyError | undefined {
    const { request, of, admission } = this.#metered;
    this.use(request.inputTokens, outputTokens);
    const { hot, now } = this.#services;
    // Usage counts in the windows of this time.
    const at = countedAt(hot.windowsClock, { requestedAt: request.requestedAt, admission });
    // The current rules: a limit that was raised or set to `finish` takes effect at once.
    for (const { level, holder, rules } of levelsOf(hot, of)) {
      for (const rule of rules) {
        if (!stopsStreams(rule, request.model)) continue;
        if (this.#usedOn(holder, rule, at) > ceilingOf(rule)) return limitReached(level, rule, at, now());
      }
    }
    return undefined;
  }

  /** What is known to be used; reservations do not count, because most answers are shorter. */
  #usedOn(holder: LimitHolder, rule: LimitRule, at: Instant): number {
    const { hot, ledger, usedElsewhere } = this.#services;
    const counted = usedAt(hot.counters.get(holder), rule, at);
    return counted + ledger.usedOn(holder, rule.id, at) + usedElsewhere(holder, rule.id, at);
  }

  #consumption(outputTokens: number): Consumption {
    const { request, price } = this.#metered;
    return consumptionFor(this.#inputTokens, outputTokens, price, request.serviceTier);
  }
}
