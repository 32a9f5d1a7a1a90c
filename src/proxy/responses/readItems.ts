import type { ContainerScanner } from '../body/containerScanner.ts';
import { Byte, skipSpace } from '../body/jsonScan.ts';
import { type JsonObject, MAX_DEPTH, parseSpan } from '../body/parseJson.ts';
import { addItem, factsUpTo, type InputFacts, noFacts } from './inputFacts.ts';
import type { KnownInputs } from './knownInputs.ts';

export interface ReadItems {
  readonly facts: InputFacts;
  /** Behind the closing bracket. */
  readonly end: number;
}

/** The body and the array of items are two levels already. */
const ITEM_DEPTH = MAX_DEPTH - 2;

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
  const spans = findItems(raw, at, scanner);
  if (!spans) return undefined;
  const { starts, ends, end } = spans;
  const items = parseSpan(raw, from ? at : start, end, from ? '[' : '') as JsonObject[];
  const facts = from ? factsUpTo(from.known.facts, length) : noFacts();
  for (const [index, item] of items.entries()) {
    starts[index] = (starts[index] as number) - start;
    ends[index] = (ends[index] as number) - start;
    addItem(facts, item, starts[index] as number, ends[index] as number);
  }
  if (from && isWhole) known.extend(from.known, raw, start, ends, facts);
  else known.remember(hint, raw, start, from ? [...from.known.ends.slice(0, from.count), ...ends] : ends, facts);
  return { facts, end };
}

/** @returns where the items from `at` on start and end, and the position behind the array's closing bracket */
function findItems(
  raw: Buffer,
  at: number,
  scanner: ContainerScanner,
): { starts: number[]; ends: number[]; end: number } | undefined {
  const starts: number[] = [];
  const ends: number[] = [];
  let next = at;
  for (;;) {
    if (raw[next] !== Byte.openBrace) return undefined;
    starts.push(next);
    next = scanner.endOf(next, ITEM_DEPTH);
    if (next < 0) return undefined;
    ends.push(next);
    next = skipSpace(raw, next);
    if (raw[next] === Byte.closeBracket) return { starts, ends, end: next + 1 };
    if (raw[next] !== Byte.comma) return undefined;
    next = skipSpace(raw, next + 1);
  }
}
