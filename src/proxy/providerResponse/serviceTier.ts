/** Names of the tier that a request gets by default. */
const DEFAULT_TIERS: ReadonlySet<string> = new Set(['', 'auto', 'default', 'standard']);
const MAX_CHARACTERS = 64;

/** @returns a service tier as prices and log name it; null for the default tier and for invalid values */
export function parseServiceTier(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_CHARACTERS) return null;
  const tier = value.toLowerCase();
  return DEFAULT_TIERS.has(tier) || !/^[a-z][a-z0-9_-]*$/.test(tier) ? null : tier;
}

const KEY = '"service_tier":';

/**
 * Finds the tier that served a response: a request for a better tier may get the default one, at its price. Searches from the
 * end of the event, so that a long response need not be parsed; a text cannot forge it, because its quotes are escaped.
 * @returns undefined when the response does not name one
 */
export function findServedTier(data: string): string | null | undefined {
  const at = data.lastIndexOf(KEY);
  const [, tier] = at < 0 ? [] : (/^\s*"([^"\\]*)"/.exec(data.slice(at + KEY.length, at + KEY.length + 100)) ?? []);
  return tier === undefined ? undefined : parseServiceTier(tier);
}
