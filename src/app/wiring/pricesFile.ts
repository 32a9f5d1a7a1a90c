import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { BUILT_IN_SINCE, builtInPrices } from '../../domain/pricing/builtInPrices.ts';
import { type ModelPrice, mergedPrices, modelPriceSchema, type PriceTable } from '../../domain/pricing/prices.ts';

/** `SVC_PRICES_FILE` cannot be used; `message` has one line per problem. */
export class InvalidPrices extends Error {
  override readonly name = 'InvalidPrices';
}

/** A price as in `PricesPublished` (docs/events.md); `cachedInput` may be omitted when it costs the same as other input. */
const listedPrice = modelPriceSchema(z)
  .partial({ cachedInput: true })
  .transform((price): ModelPrice => ({ ...price, cachedInput: price.cachedInput ?? price.input }));
const pricesFile = z.strictObject({
  since: z.iso.date('must be the day from which the prices apply, such as 2026-11-21'),
  models: z.array(listedPrice),
});

/**
 * The price table of this process: the built-in prices, overridden and extended by those of a file.
 * @throws InvalidPrices
 */
export function readPrices(path: string | undefined): PriceTable {
  if (path === undefined) return priceTable(BUILT_IN_SINCE, builtInPrices);
  const result = pricesFile.safeParse(readJson(path));
  if (!result.success) {
    const lines = result.error.issues.map((issue) => `SVC_PRICES_FILE ${path}: ${problemIn(issue)}`);
    throw new InvalidPrices(lines.join('\n'));
  }
  const { since, models } = result.data;
  const names = models.map(({ model }) => model.toLowerCase());
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw new InvalidPrices(`SVC_PRICES_FILE ${path}: ${duplicate} is listed twice`);
  return priceTable(since, mergedPrices(builtInPrices, models));
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const problem = error instanceof SyntaxError ? `is not JSON (${error.message})` : (error as Error).message;
    throw new InvalidPrices(`SVC_PRICES_FILE ${path}: ${problem}`);
  }
}

/** The version contains a hash, because two tables can have the same date. */
const priceTable = (since: string, models: readonly ModelPrice[]): PriceTable => ({
  version: `${since}.${hash('sha256', JSON.stringify(models)).slice(0, 8)}`,
  models,
});

const problemIn = ({ path, message }: z.core.$ZodIssue): string =>
  path.length === 0 ? message : `${path.join('.')}: ${message}`;
