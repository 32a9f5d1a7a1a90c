import type { JsonContainerScanner } from '../requestBody/jsonContainerScanner.ts';
import { Byte, endOfString } from '../requestBody/jsonScan.ts';
import { MAX_DEPTH, parseSpan } from '../requestBody/parseJson.ts';
import type { Field } from './fields.ts';
import type { RequestCache } from './requestCache.ts';

export interface LongValue {
  /** Position after the value. */
  readonly end: number;
  /** What `field.extract` returned for the value. */
  readonly extracted: unknown;
}

/**
 * Reads a string, an object or an array. It is parsed and checked only if no earlier request contained the same bytes.
 * @returns undefined for any other value, and for one that is not closed
 * @throws SyntaxError, ProxyError when the value is invalid
 */
export function scanLongValue(
  raw: Buffer,
  start: number,
  field: Field,
  scanner: JsonContainerScanner,
  requestCache: RequestCache,
  hint: string,
): LongValue | undefined {
  const { name, isSharedAcrossConversations, checks, extract } = field;
  const cache = isSharedAcrossConversations ? requestCache.sharedValues : requestCache.conversationValues;
  const key = isSharedAcrossConversations ? name : hint;
  const cached = cache.find(key, name, raw, start);
  if (cached) return { end: start + cached.bytes.length, extracted: cached.extracted };
  const end = endOfLongValue(raw, start, scanner);
  if (end < 0) return undefined;
  const value = parseSpan(raw, start, end);
  for (const check of checks) check(value, name);
  const extracted = extract?.(value);
  cache.remember(key, name, raw, start, end, extracted);
  return { end, extracted };
}

function endOfLongValue(raw: Buffer, start: number, scanner: JsonContainerScanner): number {
  switch (raw[start]) {
    case Byte.quote:
      return endOfString(raw, start + 1);
    case Byte.openBrace:
    case Byte.openBracket:
      return scanner.endOf(start, MAX_DEPTH - 1);
    default:
      return -1;
  }
}
