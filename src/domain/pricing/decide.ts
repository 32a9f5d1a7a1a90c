import type { Decider } from '../core/decider.ts';
import type { Recorded } from '../core/event.ts';
import { isFirst, listInParts, partOf } from '../core/parts.ts';
import { type PricesEvent, PricesPublished } from './events.ts';
import type { PriceTable } from './prices.ts';

/** The current prices; undefined before the first were published. */
export type Prices = PriceTable | undefined;

export const initialState: Prices = undefined;

export interface PublishPrices {
  readonly type: 'PublishPrices';
  readonly table: PriceTable;
}

/** Publishes prices only if they differ: every start issues this command. */
export function decide({ table }: PublishPrices, prices: Prices): PricesEvent[] {
  if (prices?.version === table.version) return [];
  const parts = listInParts(table.models);
  return parts.map((models, index) => {
    const part = partOf(index, parts);
    return PricesPublished({ from: prices?.version ?? null, to: table.version, models, ...(part && { part }) });
  });
}

export function evolve(prices: Prices, { data }: Recorded<PricesEvent>): Prices {
  const before = isFirst(data.part) ? [] : (prices?.models ?? []);
  return { version: data.to, models: [...before, ...data.models] };
}

export const pricing: Decider<Prices, PublishPrices, PricesEvent> = { decide, evolve, initialState };
