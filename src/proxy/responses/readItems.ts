import type { ContainerScanner } from '../requestBody/containerScanner.ts';
import { Byte, skipSpace } from '../requestBody/jsonScan.ts';
import { type JsonObject, MAX_DEPTH, parseSpan } from '../requestBody/parseJson.ts';
import { addItem, factsUpTo, type InputFacts, noFacts } from './inputFacts.ts';
import type { KnownInputs } from './knownInputs.ts';

export interface ReadItems {
  readonly facts: InputFacts;
  /** Behind the closing bracket. */
  readonly end: number;
}

/** The body and the array of items are two levels already. */
const ITEM_DEPTH = MAX_DEPTH - 2;

/** So many bytes are parsed at once: what is small dies young, and is still in the processor's cache. */
const PARSED_AT_ONCE = 65_536;

/**
 * Reads `input` when it is an array: only the items behind those that are known are scanned, parsed and looked at.
 * @param start on the opening bracket
 * @returns undefined for anything but an array of objects of sane depth
 * @throws SyntaxError
 */
export function readItems(
  raw: Buffer,
  start: number,
  scanner: ContainerScanner,
  known: KnownInputs,
  hint: string,
): ReadItems | undefined {
  const from = known.find(hint, raw, start);
  const length = from ? (from.known.ends[from.count - 1] as number) : 0;
  const isWhole = from !== undefined && length === from.known.length;
  let at = skipSpace(raw, start + Math.max(1, length));
  if (raw[at] === Byte.closeBracket) {
    const facts = from ? (isWhole ? from.known.facts : factsUpTo(from.known.facts, length)) : noFacts();
    return { facts, end: at + 1 };
  }
  if (from) {
    if (raw[at] !== Byte.comma) return undefined;
    at = skipSpace(raw, at + 1);
  }
  const facts = from ? factsUpTo(from.known.facts, length) : noFacts();
  const ends: number[] = [];
  const end = readNew(raw, at, start, scanner, ends, facts);
  if (end < 0) return undefined;
  if (from && isWhole) known.extend(from.known, raw, start, ends, facts);
  else known.remember(hint, raw, start, from ? [...from.known.ends.slice(0, from.count), ...ends] : ends, facts);
  return { facts, end };
}

/**
 * @param at on the first new item
 * @param start of the array, from which the positions in `ends` and `facts` count
 * @returns the position behind the array's closing bracket, or -1
 */
function readNew(
  raw: Buffer,
  at: number,
  start: number,
  scanner: ContainerScanner,
  ends: number[],
  facts: InputFacts,
): number {
  let next = at;
  let parsed = 0;
  let starts: number[] = [];
  // Without known items the text has its own bracket, which saves putting one before it.
  let hasBracket = skipSpace(raw, start + 1) === at;
  for (;;) {
    if (raw[next] !== Byte.openBrace) return -1;
    starts.push(next);
    const end = scanner.endOf(next, ITEM_DEPTH);
    if (end < 0) return -1;
    ends.push(end - start);
    next = skipSpace(raw, end);
    const isLast = raw[next] === Byte.closeBracket;
    if (isLast || end - (starts[0] as number) >= PARSED_AT_ONCE) {
      const from = hasBracket ? start : (starts[0] as number);
      const until = isLast ? next + 1 : end;
      const items = parseSpan(raw, from, until, hasBracket ? '' : '[', isLast ? '' : ']') as JsonObject[];
      hasBracket = false;
      for (const [index, item] of items.entries()) {
        addItem(facts, item, raw, start, (starts[index] as number) - start, ends[parsed + index] as number);
      }
      parsed = ends.length;
      starts = [];
    }
    if (isLast) return next + 1;
    if (raw[next] !== Byte.comma) return -1;
    next = skipSpace(raw, next + 1);
  }
}
