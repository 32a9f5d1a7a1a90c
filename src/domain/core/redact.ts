/** The text that replaces a secret. */
export const REDACTED = '[hidden]';

const SECRET_FIELDS: ReadonlySet<string> = new Set(['hash', 'passwordHash', 'secret', 'digest', 'addressDigest']);
/** Sealed values and SHA-256 hashes are recognised by their format, in whatever field a new event puts them. */
const SECRET_FORMAT = /^sealed\.|^[0-9a-f]{64}$/;
/** Hashes of files and trees are there to be compared. */
const PUBLIC_HASH_FIELDS: ReadonlySet<string> = new Set(['root', 'sha256', 'seal']);
const HASH_FORMAT = /^[0-9a-f]{64}$/;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Whether a value is one that is never shown: a sealed one, the hash of a key or a password, a digest. @param name its field */
export const isSecret = (value: Json, name = ''): boolean =>
  value !== null &&
  (SECRET_FIELDS.has(name) ||
    (typeof value === 'string' &&
      SECRET_FORMAT.test(value) &&
      !(PUBLIC_HASH_FIELDS.has(name) && HASH_FORMAT.test(value))));

/** Returns a copy without secrets: sealed values, hashes of keys and passwords, digests. @param name field of `value` */
export function redact(value: Json, name = ''): Json {
  if (isSecret(value, name)) return REDACTED;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: Json) => redact(item));
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, redact(item, field)]));
}

/** Converts folded state to JSON: maps become objects, undefined becomes null. */
export function toJson(value: unknown): Json {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') return value as Json;
  if (Array.isArray(value)) return value.map(toJson);
  const fields = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(fields.map(([name, item]) => [String(name), toJson(item)]));
}
