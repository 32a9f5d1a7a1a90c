/**
 * Finds where values end in the bytes of a JSON text. Nothing here validates: a span found by these functions counts only
 * after JSON.parse has accepted it. JSON has one reading, so what is accepted piece by piece is what the whole means.
 */

export const Byte = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

/** Most strings end within this; beyond it a native search is cheaper than a loop. */
const NEAR = 48;

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** @returns the first position at or after `at` that holds no white space */
export function skipSpace(raw: Buffer, at: number): number {
  let next = at;
  while (next < raw.length && isSpace(raw[next])) next++;
  return next;
}

/**
 * @param at behind the opening quote
 * @returns the position of the closing quote, or -1 when it is further than `limit` bytes or anything but plain ASCII comes
 *   before it: then the bytes are not yet the string
 */
export function endOfPlainString(raw: Buffer, at: number, limit: number): number {
  const end = Math.min(at + limit, raw.length);
  for (let next = at; next < end; next++) {
    const byte = raw[next] as number;
    if (byte === Byte.quote) return next;
    if (byte < 0x20 || byte > 0x7f || byte === Byte.backslash) return -1;
  }
  return -1;
}

/**
 * @param at behind the opening quote, or behind any complete character of the string
 * @returns the position behind the closing quote, -1 when there is none
 */
export function endOfString(raw: Buffer, at: number): number {
  let next = at;
  for (;;) {
    const near = Math.min(next + NEAR, raw.length);
    while (next < near) {
      const byte = raw[next++];
      if (byte === Byte.quote) return next;
      if (byte === Byte.backslash) next++;
    }
    const quote = raw.indexOf(Byte.quote, next);
    if (quote < 0) return -1;
    if (!isEscaped(raw, quote, next)) return quote + 1;
    next = quote + 1;
  }
}

/** @param from behind a complete character, so that backslashes before it belong to others */
function isEscaped(raw: Buffer, quote: number, from: number): boolean {
  let first = quote;
  while (first > from && raw[first - 1] === Byte.backslash) first--;
  return (quote - first) % 2 === 1;
}
