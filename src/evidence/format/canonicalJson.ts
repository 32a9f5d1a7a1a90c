import type { Json } from '../../domain/core/redact.ts';

/**
 * Writes JSON in the canonical form of RFC 8785: keys sorted by UTF-16 code units, numbers and strings as ECMAScript writes them,
 * no spaces.
 */
export function canonicalize(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(',')}]`;
  const object = value as { readonly [name: string]: Json };
  const fields = Object.keys(object)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalize(object[name] as Json)}`);
  return `{${fields.join(',')}}`;
}

/** @returns undefined for text that is not JSON */
export function parseJsonValue(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
