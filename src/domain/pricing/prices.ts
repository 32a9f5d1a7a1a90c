import { type Infer, schema } from '../core/schema.ts';

const dollars = schema((z) => z.number().min(0).max(1_000_000));
const factor = schema((z) => z.number().min(0).max(1_000));

/** Price of one model in US dollars per 1,000,000 tokens. */
export const modelPriceSchema = schema((z) =>
  z.strictObject({
    /** A model id, or a prefix of one followed by `*`. */
    model: z.string().regex(/^[^*\s]{1,200}\*?$/, 'must be a model, or the beginning of one and a *'),
    input: dollars(z),
    cachedInput: dollars(z),
    output: dollars(z),
    /** Factor for reasoning tokens; 1 when absent. */
    reasoningMultiplier: factor(z).optional(),
    /** Factor for the whole cost by `service_tier`; 1 for tiers that are not listed. */
    tiers: z.record(z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must be the name of a tier'), factor(z)).optional(),
    /** Factors for requests with a longer input. */
    longContext: z
      .strictObject({ aboveInputTokens: z.int().min(1), inputFactor: factor(z), outputFactor: factor(z) })
      .optional(),
  }),
);
export type ModelPrice = Readonly<Infer<typeof modelPriceSchema>>;

/** A versioned table of prices; requests record the version that they were priced with. */
export interface PriceTable {
  readonly version: string;
  readonly models: readonly ModelPrice[];
}

/** @returns undefined for a model without a price: its cost is unknown, not zero */
export function findPrice({ models }: Pick<PriceTable, 'models'>, model: string): ModelPrice | undefined {
  const wanted = model.toLowerCase();
  let best: ModelPrice | undefined;
  for (const price of models) {
    const name = price.model.toLowerCase();
    if (name === wanted) return price;
    const isMatch = name.endsWith('*') && wanted.startsWith(name.slice(0, -1));
    if (isMatch && (!best || price.model.length > best.model.length)) best = price;
  }
  return best;
}

/** Entries of the second table replace those of the same name in the first; the others are added. */
export function mergedPrices(first: readonly ModelPrice[], second: readonly ModelPrice[]): ModelPrice[] {
  const replaced = new Set(second.map(({ model }) => model.toLowerCase()));
  return [...first.filter(({ model }) => !replaced.has(model.toLowerCase())), ...second];
}
