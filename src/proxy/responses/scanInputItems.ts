import type { JsonContainerScanner } from '../requestBody/jsonContainerScanner.ts';
import { Byte, skipSpace } from '../requestBody/jsonScan.ts';
import { type JsonObject, MAX_DEPTH, parseSpan } from '../requestBody/parseJson.ts';
import type { InputCache } from './inputCache.ts';
import { addItem, emptySummary, type InputSummary, summaryUpTo } from './inputSummary.ts';

export interface ScannedItems {
  readonly summary: InputSummary;
  /** Position after the closing bracket. */
  readonly end: number;
}

/** The body and the array of items are two levels already. */
const MAX_ITEM_DEPTH = MAX_DEPTH - 2;

/** Items are parsed in batches of this size: small ones are garbage collected young and stay in the processor's cache. */
const PARSE_BATCH_BYTES = 65_536;

/**
 * Reads `input` when it is an array. Only the items after the longest cached prefix are scanned, parsed and checked.
 * @param start position of the opening bracket
 * @returns undefined unless it is an array of objects within the depth limit
 * @throws SyntaxError, ProxyError when an item is invalid
 */
export function scanInputItems(
  raw: Buffer,
  start: number,
  scanner: JsonContainerScanner,
  cache: InputCache,
  hint: string,
): ScannedItems | undefined {
  const prefix = cache.find(hint, raw, start);
  const prefixLength = prefix ? (prefix.input.ends[prefix.itemCount - 1] as number) : 0;
  const isWholeInput = prefix !== undefined && prefixLength === prefix.input.length;
  let at = skipSpace(raw, start + Math.max(1, prefixLength));
  if (raw[at] === Byte.closeBracket) {
    if (!prefix) return { summary: emptySummary(), end: at + 1 };
    const { summary } = prefix.input;
    return { summary: isWholeInput ? summary : summaryUpTo(summary, prefixLength), end: at + 1 };
  }
  if (prefix) {
    if (raw[at] !== Byte.comma) return undefined;
    at = skipSpace(raw, at + 1);
  }
  const summary = prefix ? summaryUpTo(prefix.input.summary, prefixLength) : emptySummary();
  const newEnds: number[] = [];
  const end = parseItems(raw, at, start, scanner, newEnds, summary);
  if (end < 0) return undefined;
  if (prefix && isWholeInput) {
    cache.extend(prefix.input, raw, start, newEnds, summary);
  } else {
    const ends = prefix ? [...prefix.input.ends.slice(0, prefix.itemCount), ...newEnds] : newEnds;
    cache.remember(hint, raw, start, ends, summary);
  }
  return { summary, end };
}

/**
 * Parses the items from `at` on, and adds them to `ends` and `summary`.
 * @param at position of the first new item
 * @param start position of the array, to which positions in `ends` and `summary` are relative
 * @returns the position after the array's closing bracket; -1 when the value is not an array of objects
 */
function parseItems(
  raw: Buffer,
  at: number,
  start: number,
  scanner: JsonContainerScanner,
  ends: number[],
  summary: InputSummary,
): number {
  let next = at;
  let parsed = 0;
  let starts: number[] = [];
  // Without a prefix the first batch can include the array's own bracket, which saves adding one.
  let includesBracket = skipSpace(raw, start + 1) === at;
  for (;;) {
    if (raw[next] !== Byte.openBrace) return -1;
    starts.push(next);
    const end = scanner.endOf(next, MAX_ITEM_DEPTH);
    if (end < 0) return -1;
    ends.push(end - start);
    next = skipSpace(raw, end);
    const isLast = raw[next] === Byte.closeBracket;
    if (isLast || end - (starts[0] as number) >= PARSE_BATCH_BYTES) {
      const from = includesBracket ? start : (starts[0] as number);
      const until = isLast ? next + 1 : end;
      const items = parseSpan(raw, from, until, includesBracket ? '' : '[', isLast ? '' : ']') as JsonObject[];
      includesBracket = false;
      for (const [index, item] of items.entries()) {
        addItem(summary, item, raw, start, (starts[index] as number) - start, ends[parsed + index] as number);
      }
      parsed = ends.length;
      starts = [];
    }
    if (isLast) return next + 1;
    if (raw[next] !== Byte.comma) return -1;
    next = skipSpace(raw, next + 1);
  }
}
