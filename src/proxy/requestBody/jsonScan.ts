/**
 * Finds where values end in the bytes of a JSON text. Does not validate: the code that scans a body passes each span to
 * JSON.parse before it relies on it. JSON is unambiguous, so if JSON.parse accepts every span, the text is valid and has
 * exactly these values.
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

/** Most strings are shorter. From here on a native search is cheaper than a loop. */
const MAX_LOOP_BYTES = 48;

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** @returns the first position at or after `at` that is no white space */
export function skipSpace(raw: Buffer, at: number): number {
  let next = at;
  while (next < raw.length && isSpace(raw[next])) next++;
  return next;
}

/**
 * @param at position after the opening quote
 * @returns the position of the closing quote; -1 when it is more than `limit` bytes away or when the string has anything but
 *   unescaped ASCII, so that its bytes differ from its value
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
 * @param at position after the opening quote, or after any complete character of the string
 * @returns the position after the closing quote; -1 when there is none
 */
export function endOfString(raw: Buffer, at: number): number {
  let next = at;
  for (;;) {
    const loopEnd = Math.min(next + MAX_LOOP_BYTES, raw.length);
    while (next < loopEnd) {
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

/** @param from position after a complete character: backslashes before it do not escape the quote */
function isEscaped(raw: Buffer, quote: number, from: number): boolean {
  let first = quote;
  while (first > from && raw[first - 1] === Byte.backslash) first--;
  return (quote - first) % 2 === 1;
}
