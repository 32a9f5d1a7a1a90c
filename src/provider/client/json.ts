/** A parsed JSON object from outside; its fields are unchecked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** @returns the object in a JSON text; undefined for any other text. Never throws. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** @returns the value if it is an object; undefined for arrays, null and primitives */
export const asObject = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;

/** @returns the trimmed text; null if it is empty or not a string */
export const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** Longer than any token of the provider. An event keeps three of them, sealed, and has at most 64 kB. */
export const MAX_TOKEN_CHARACTERS = 12_288;

/** Whether a text can be a token: it is sent in a header and kept in an event. */
export const isToken = (text: string): boolean => text.length <= MAX_TOKEN_CHARACTERS && isHeaderSafe(text);

/** Whether a token or an id can be sent in a header. */
export const isHeaderSafe = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);
