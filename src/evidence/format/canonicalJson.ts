import type { Json } from '../../domain/core/redact.ts';

/** Names of fields as JSON with a colon: writing them costs more than all else, and there are few. */
const names = new Map<string, string>();
const MAX_NAMES = 10_000;

function nameJson(name: string): string {
  let json = names.get(name);
  if (json === undefined) {
    json = `${JSON.stringify(name)}:`;
    if (names.size >= MAX_NAMES) names.clear();
    // A copy: a part of a line would keep the whole line in memory.
    names.set(JSON.parse(JSON.stringify(name)) as string, json);
  }
  return json;
}

/**
 * Writes JSON in the canonical form of RFC 8785: keys sorted by UTF-16 code units, numbers and strings as ECMAScript writes them,
 * no spaces.
 */
export function canonicalize(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${canonicalize(item)}`;
    return `[${text}]`;
  }
  const object = value as { readonly [name: string]: Json };
  for (const name of Object.keys(object).sort()) {
    text += (text === '' ? '' : ',') + nameJson(name) + canonicalize(object[name] as Json);
  }
  return `{${text}}`;
}

/** @returns undefined for text that is not JSON */
export function parseJsonValue(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
