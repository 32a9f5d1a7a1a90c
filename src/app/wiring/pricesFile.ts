import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { BUILT_IN_SINCE } from '../../domain/pricing/builtInPrices.ts';
import { listedPrices, listedTwice, priceListSchema } from '../../domain/pricing/priceList.ts';
import type { PriceTable } from '../../domain/pricing/prices.ts';

/** `SVC_PRICES_FILE` cannot be used; `message` has one line per problem. */
export class InvalidPrices extends Error {
  override readonly name = 'InvalidPrices';
}

/**
 * The price table of this process: the built-in prices, overridden and extended by those of a file.
 * @throws InvalidPrices
 */
export function readPrices(path: string | undefined): PriceTable {
  if (path === undefined) return listedPrices({ since: BUILT_IN_SINCE, models: [] }, sha256);
  const result = priceListSchema(z).safeParse(readJson(path));
  if (!result.success) {
    const lines = result.error.issues.map((issue) => `SVC_PRICES_FILE ${path}: ${problemIn(issue)}`);
    throw new InvalidPrices(lines.join('\n'));
  }
  const duplicate = listedTwice(result.data.models);
  if (duplicate !== undefined) throw new InvalidPrices(`SVC_PRICES_FILE ${path}: ${duplicate} is listed twice`);
  return listedPrices(result.data, sha256);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const problem = error instanceof SyntaxError ? `is not JSON (${error.message})` : (error as Error).message;
    throw new InvalidPrices(`SVC_PRICES_FILE ${path}: ${problem}`);
  }
}

const sha256 = (text: string): string => hash('sha256', text);

const problemIn = ({ path, message }: z.core.$ZodIssue): string =>
  path.length === 0 ? message : `${path.join('.')}: ${message}`;
