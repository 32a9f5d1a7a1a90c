/** An object that somebody else wrote as JSON: nothing is known of its fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The object in a JSON text; undefined for everything else. Never throws. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The same value when it is an object; undefined for arrays, null and everything else. */
export const asObject = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;

/** A text that says something, without the blanks around it; null for everything else. */
export const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** Whether a token or an id can travel in a header: a line break in it would break every request of the account. */
export const isHeaderSafe = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);
