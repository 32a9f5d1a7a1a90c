import { Byte, isSpace } from './jsonScan.ts';

/** Replaces one member of an object or one item of an array; without a replacement it is removed. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replacement: readonly Buffer[] | undefined;
}

const COMMA = Buffer.from(',');

/**
 * Applies edits to the inside of an object or array. The result consists of slices of the original bytes and of the
 * replacements, so unchanged members are neither parsed nor serialized again.
 * @param raw contains valid JSON
 * @param start position after the opening bracket
 * @param end position of the closing bracket
 * @param edits in the order of their positions
 * @param added members or items to append
 */
export function spliceJson(
  raw: Buffer,
  start: number,
  end: number,
  edits: readonly Edit[],
  added: readonly Buffer[] = [],
): Buffer[] {
  const pieces: Buffer[] = [];
  const append = (...more: readonly Buffer[]) => {
    if (pieces.length > 0) pieces.push(COMMA);
    pieces.push(...more);
  };
  let at = start;
  for (const edit of edits) {
    const unchanged = withoutSeparators(raw, at, edit.start);
    if (unchanged) append(unchanged);
    if (edit.replacement) append(...edit.replacement);
    at = edit.end;
  }
  const unchanged = withoutSeparators(raw, at, end);
  if (unchanged) append(unchanged);
  for (const piece of added) append(piece);
  return pieces;
}

/** @returns the complete members or items between two positions; undefined when there are none */
function withoutSeparators(raw: Buffer, start: number, end: number): Buffer | undefined {
  let first = start;
  let last = end;
  while (first < last && isSeparator(raw[first])) first++;
  while (first < last && isSeparator(raw[last - 1])) last--;
  return first < last ? raw.subarray(first, last) : undefined;
}

const isSeparator = (byte: number | undefined): boolean => byte === Byte.comma || isSpace(byte);
