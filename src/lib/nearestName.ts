/**
 * @returns the name that takes the fewest inserted, deleted, replaced and swapped characters to become `name`, for the length of the longer
 * one and ignoring case; the first one of several; undefined when each takes more than two fifths of that length: it would be a
 * guess
 */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  // Names that a client makes up may be long, and the work grows with the product of the lengths.
  const typed = name.slice(0, MAX_COMPARED).toLowerCase();
  let nearest: string | undefined;
  let fewest = MAX_EDITS;
  for (const known of names) {
    const edits = distance(typed, known.toLowerCase()) / Math.max(typed.length, known.length);
    if (edits > MAX_EDITS || (nearest !== undefined && edits >= fewest)) continue;
    fewest = edits;
    nearest = known;
  }
  return nearest;
}

const MAX_COMPARED = 64;
/** For each character of the longer name. */
const MAX_EDITS = 0.4;

/** The Levenshtein distance, in which two neighbours that changed places count once. With three rows of the table at a time. */
function distance(left: string, right: string): number {
  let twoAbove: number[] = [];
  let above: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 0; i < left.length; i++) {
    [twoAbove, above] = [above, row];
    row = [i + 1];
    for (let j = 0; j < right.length; j++) {
      const replaced = (above[j] as number) + (left[i] === right[j] ? 0 : 1);
      let fewest = Math.min(replaced, (above[j + 1] as number) + 1, (row[j] as number) + 1);
      if (i > 0 && j > 0 && left[i] === right[j - 1] && left[i - 1] === right[j])
        fewest = Math.min(fewest, (twoAbove[j - 1] as number) + 1);
      row.push(fewest);
    }
  }
  return row[right.length] as number;
}
