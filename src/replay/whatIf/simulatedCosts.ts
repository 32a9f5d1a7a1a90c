import type { MicroDollars } from '../../domain/core/brands.ts';
import type { Consumption } from '../../domain/limits/limitTypes.ts';
import { costOf } from '../../domain/pricing/cost.ts';
import { findPrice, type ModelPrice, type PriceTable } from '../../domain/pricing/prices.ts';
import type { TokenUsage } from '../../domain/request/events.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { RequestEnd } from './simulatedEnd.ts';

interface Priced {
  readonly model: string;
  readonly serviceTier?: string | undefined;
}

/** Clients choose model names: invented ones must not fill the memory. */
const MAX_CACHED_PRICES = 1_000;

/** What requests cost in a simulation: as recorded, unless it has other prices or other tokens. */
export class SimulatedCosts {
  readonly #recorded: Pick<HotState, 'prices'>;
  readonly #prices: PriceTable | undefined;
  #table: PriceTable | undefined;
  #known = new Map<string, ModelPrice | undefined>();

  constructor(recorded: Pick<HotState, 'prices'>, prices: PriceTable | undefined) {
    this.#recorded = recorded;
    this.#prices = prices;
  }

  /** In micro-dollars; null for a model without a price. */
  of({ model, serviceTier }: Priced, usage: Omit<TokenUsage, 'isEstimated'>): MicroDollars | null {
    const price = this.#priceOf(model);
    return price ? costOf(usage, price, serviceTier ?? null) : null;
  }

  ofRecorded(
    request: Priced,
    { usage, costMicroDollars }: Pick<RequestEnd, 'usage' | 'costMicroDollars'>,
  ): MicroDollars | null {
    return this.#prices && usage ? this.of(request, usage) : costMicroDollars;
  }

  /** @param isUnpriced whether the estimate has no cost yet */
  estimate(request: Priced, estimate: Consumption, isUnpriced = false): Consumption {
    if (!this.#prices && !isUnpriced) return estimate;
    const { inputTokens, outputTokens } = estimate;
    const usage = { inputTokens, outputTokens, cachedInputTokens: 0, reasoningTokens: 0 };
    return { ...estimate, costMicroDollars: this.of(request, usage) ?? 0 };
  }

  #priceOf(model: string): ModelPrice | undefined {
    const table = this.#prices ?? this.#recorded.prices;
    if (!table) return undefined;
    if (table !== this.#table) {
      this.#table = table;
      this.#known = new Map();
    }
    if (this.#known.has(model)) return this.#known.get(model);
    const price = findPrice(table, model);
    if (this.#known.size < MAX_CACHED_PRICES) this.#known.set(model, price);
    return price;
  }
}
