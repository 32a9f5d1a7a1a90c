/** What stands in the place of a secret. */
export const REDACTED = '[hidden]';

const SECRET_FIELDS: ReadonlySet<string> = new Set(['hash', 'passwordHash', 'secret', 'digest']);
/** A value that only the vault can open, or a SHA-256: recognised by its form, wherever a new event may put one. */
const SECRET_FORM = /^sealed\.|^[0-9a-f]{64}$/;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A copy of JSON without secrets: sealed values, hashes of keys and passwords, digests. */
export function redact(value: Json, name = ''): Json {
  if (value === null) return null;
  if (SECRET_FIELDS.has(name)) return REDACTED;
  if (typeof value === 'string') return SECRET_FORM.test(value) ? REDACTED : value;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: Json) => redact(item));
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, redact(item, field)]));
}

/** What a fold holds, as JSON: maps become objects, undefined becomes null. */
export function asJson(value: unknown): Json {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') return value as Json;
  if (Array.isArray(value)) return value.map(asJson);
  const fields = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(fields.map(([name, item]) => [String(name), asJson(item)]));
}
