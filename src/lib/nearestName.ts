/**
 * @returns the name that takes the fewest inserted, deleted and replaced characters to become `name`, for the length of the longer
 * one and ignoring case; the first one of several; undefined without names
 */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  // Names that a client makes up may be long, and the work grows with the product of the lengths.
  const typed = name.slice(0, MAX_COMPARED).toLowerCase();
  let nearest: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const known of names) {
    const edits = levenshtein(typed, known.toLowerCase()) / Math.max(typed.length, known.length);
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = known;
  }
  return nearest;
}

const MAX_COMPARED = 64;

/** The Levenshtein distance, with one row of the table at a time. */
function levenshtein(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 0; i < left.length; i++) {
    const above = row;
    row = [i + 1];
    for (let j = 0; j < right.length; j++) {
      const replaced = (above[j] as number) + (left[i] === right[j] ? 0 : 1);
      row.push(Math.min(replaced, (above[j + 1] as number) + 1, (row[j] as number) + 1));
    }
  }
  return row[right.length] as number;
}
