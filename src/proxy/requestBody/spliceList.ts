import { Byte, isSpace } from './jsonScan.ts';

/** What takes the place of one member of an object or one item of an array; nothing at all leaves it out. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: readonly Buffer[] | undefined;
}

const COMMA = Buffer.from(',');

/**
 * The inside of an object or array after some edits, as pieces of the original bytes between them: what does not change is
 * neither parsed nor written again.
 * @param raw holds valid JSON
 * @param start behind the opening bracket
 * @param end on the closing bracket
 * @param edits in the order of their positions
 * @param added members or items behind the last one
 */
export function spliceList(
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
    const kept = withoutSeparators(raw, at, edit.start);
    if (kept) append(kept);
    if (edit.by) append(...edit.by);
    at = edit.end;
  }
  const kept = withoutSeparators(raw, at, end);
  if (kept) append(kept);
  for (const one of added) append(one);
  return pieces;
}

/** The run of whole members or items between two positions; undefined when there is only punctuation. */
function withoutSeparators(raw: Buffer, start: number, end: number): Buffer | undefined {
  let first = start;
  let last = end;
  while (first < last && isSeparator(raw[first])) first++;
  while (first < last && isSeparator(raw[last - 1])) last--;
  return first < last ? raw.subarray(first, last) : undefined;
}

const isSeparator = (byte: number | undefined): boolean => byte === Byte.comma || isSpace(byte);
