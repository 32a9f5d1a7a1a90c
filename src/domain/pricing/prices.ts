/** Price of one model in US dollars per 1,000,000 tokens. */
export interface ModelPrice {
  /** Model id, or with a trailing `*` the beginning of one. */
  readonly model: string;
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
  /** Factor on reasoning tokens; 1 when absent. */
  readonly reasoningMultiplier?: number;
}

/** A table of prices and the day from which it holds; requests remember the version they were priced with. */
export interface PriceTable {
  readonly version: string;
  readonly models: readonly ModelPrice[];
}

/** The built-in table (provider-and-predecessor.md 7.2). The longest matching entry wins. */
export const builtInPrices: PriceTable = {
  version: '2026-11-01',
  models: [
    { model: 'gpt-5*', input: 1.25, cachedInput: 0.125, output: 10 },
    { model: 'gpt-5.1*', input: 1.25, cachedInput: 0.125, output: 10 },
    { model: 'gpt-5.1-codex-mini*', input: 0.25, cachedInput: 0.025, output: 2 },
    { model: 'gpt-5.2*', input: 1.75, cachedInput: 0.175, output: 14 },
    { model: 'gpt-5.3*', input: 1.75, cachedInput: 0.175, output: 14 },
    { model: 'gpt-5.4*', input: 2.5, cachedInput: 0.25, output: 15 },
    { model: 'gpt-5.4-mini*', input: 0.75, cachedInput: 0.075, output: 4.5 },
    { model: 'gpt-5.4-nano*', input: 0.2, cachedInput: 0.02, output: 1.25 },
    { model: 'gpt-5.4-pro*', input: 30, cachedInput: 30, output: 180 },
    { model: 'gpt-5.5*', input: 5, cachedInput: 0.5, output: 30 },
    { model: 'gpt-5.5-pro*', input: 30, cachedInput: 30, output: 180 },
    { model: 'gpt-5.6-sol*', input: 5, cachedInput: 0.5, output: 30 },
    { model: 'gpt-5.6-terra*', input: 2, cachedInput: 0.2, output: 12 },
    { model: 'gpt-5.6-luna*', input: 0.2, cachedInput: 0.02, output: 1.2 },
  ],
};

/** @returns undefined for a model that nobody has priced: its cost is unknown, not zero */
export function findPrice(table: PriceTable, model: string): ModelPrice | undefined {
  const wanted = model.toLowerCase();
  let best: ModelPrice | undefined;
  for (const price of table.models) {
    const name = price.model.toLowerCase();
    if (name === wanted) return price;
    const isMatch = name.endsWith('*') && wanted.startsWith(name.slice(0, -1));
    if (isMatch && (!best || price.model.length > best.model.length)) best = price;
  }
  return best;
}
