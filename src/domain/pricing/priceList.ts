import { schema } from '../core/schema.ts';
import { builtInPrices } from './builtInPrices.ts';
import { type ModelPrice, mergedPrices, modelPriceSchema, type PriceTable } from './prices.ts';

/**
 * The prices of a file: entries as in `PricesPublished` (docs/events.md); `cachedInput` may be omitted when it costs the same as
 * other input.
 */
export const priceListSchema = schema((z) =>
  z.strictObject({
    since: z.iso.date('must be the day from which the prices apply, such as 2026-11-21'),
    models: z.array(
      modelPriceSchema(z)
        .partial({ cachedInput: true })
        .transform((price): ModelPrice => ({ ...price, cachedInput: price.cachedInput ?? price.input })),
    ),
  }),
);

/** A model that is listed twice, if there is one. */
export function listedTwice(models: readonly ModelPrice[]): string | undefined {
  const names = new Set<string>();
  for (const { model } of models) {
    const name = model.toLowerCase();
    if (names.has(name)) return name;
    names.add(name);
  }
  return undefined;
}

/**
 * The built-in prices, overridden and extended by listed ones. The version contains a hash, because two tables can have the
 * same date.
 * @param digest SHA-256 of a text as hexadecimal
 */
export function listedPrices(
  { since, models }: { readonly since: string; readonly models: readonly ModelPrice[] },
  digest: (text: string) => string,
): PriceTable {
  const all = mergedPrices(builtInPrices, models);
  return { version: `${since}.${digest(JSON.stringify(all)).slice(0, 8)}`, models: all };
}
