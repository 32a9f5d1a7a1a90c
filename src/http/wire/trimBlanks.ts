const TAB = 9;
const SPACE = 32;

/**
 * Removes spaces and tabs, which alone may surround a value in HTTP (RFC 9110 section 5.6.3). `String.trim` removes more, for
 * example NBSP.
 * @param from offset of the first character @param to offset behind the last one
 */
export function trimBlanks(text: string, from = 0, to: number = text.length): string {
  let start = from;
  let end = to;
  for (; start < end; start++) if (!isBlank(text.charCodeAt(start))) break;
  for (; end > start; end--) if (!isBlank(text.charCodeAt(end - 1))) break;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === SPACE || code === TAB;
