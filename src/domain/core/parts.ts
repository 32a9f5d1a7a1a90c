/** One part of something that is larger than one event may be: its number, from 1, and how many there are. */
export type Part = [number: number, of: number];

/** How much JSON one part may have: an event also has metadata and other fields (`MAX_EVENT_BYTES`). */
export const MAX_PART_BYTES = 48_000;

/** Size of a value as JSON in UTF-8. */
export const jsonBytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/** Cuts a list into parts of at most `MAX_PART_BYTES` of JSON each; at least one, and no part for half an item. */
export function listInParts<Item>(items: readonly Item[], maxBytes = MAX_PART_BYTES): Item[][] {
  const parts: Item[][] = [[]];
  let bytes = 0;
  for (const item of items) {
    const size = jsonBytes(item) + 1;
    if (bytes > 0 && bytes + size > maxBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(item);
    bytes += size;
  }
  return parts;
}

/** Cuts a text into parts of at most `MAX_PART_BYTES` of JSON each; no part ends within a character. */
export function textInParts(text: string, maxBytes = MAX_PART_BYTES): string[] {
  const parts: string[] = [];
  let start = 0;
  do {
    let length = Math.min(text.length - start, maxBytes);
    while (jsonBytes(text.slice(start, start + length)) > maxBytes) length = Math.floor(length * 0.75);
    // The first half of a surrogate pair stays with the second.
    if (start + length < text.length && /[\ud800-\udbff]/.test(text[start + length - 1] as string)) length -= 1;
    parts.push(text.slice(start, start + length));
    start += length;
  } while (start < text.length);
  return parts;
}

/** Undefined for the only part, so that what fits into one event is stored as before. */
export const partOf = (index: number, parts: readonly unknown[]): Part | undefined =>
  parts.length === 1 ? undefined : [index + 1, parts.length];

export const isFirst = (part: Part | undefined): boolean => part === undefined || part[0] === 1;
export const isLast = (part: Part | undefined): boolean => part === undefined || part[0] === part[1];

/** For sentences of the history: empty for the only part. */
export const shownPart = (part: Part | undefined): string =>
  part === undefined ? '' : ` (part ${part[0]} of ${part[1]})`;
