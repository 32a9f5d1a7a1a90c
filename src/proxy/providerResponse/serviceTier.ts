/** Names for what a request gets that asks for nothing. */
const USUAL: ReadonlySet<string> = new Set(['', 'auto', 'default', 'standard']);
const MAX_CHARACTERS = 64;

/** A tier of service as it is priced and logged; null for the usual one, and for what is no tier. */
export function parseServiceTier(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_CHARACTERS) return null;
  const tier = value.toLowerCase();
  return USUAL.has(tier) || !/^[a-z][a-z0-9_-]*$/.test(tier) ? null : tier;
}

const KEY = '"service_tier":';

/**
 * The tier that an answer was given in: whoever asks for a better one may get the usual one, at its price. Looked for from
 * the end of the event, so that a long answer need not be parsed; a quote inside a text is escaped, so none can forge it.
 * @returns undefined when the answer does not say
 */
export function findServedTier(data: string): string | null | undefined {
  const at = data.lastIndexOf(KEY);
  const [, tier] = at < 0 ? [] : (/^\s*"([^"\\]*)"/.exec(data.slice(at + KEY.length, at + KEY.length + 100)) ?? []);
  return tier === undefined ? undefined : parseServiceTier(tier);
}
