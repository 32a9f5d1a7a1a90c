import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest time for which one slice keeps other work waiting. */
const SLICE_MS = 5;

/**
 * Maps a list of any length. After each slice of some milliseconds, everything else that waits for this thread has its turn, so that
 * what is read of mutable state (counters) may be a few milliseconds newer for later slices.
 */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<Result[]> {
  const mapped: Result[] = [];
  let began = performance.now();
  for (const item of items) {
    if (performance.now() - began > SLICE_MS) {
      await nextTurn();
      began = performance.now();
    }
    mapped.push(map(item));
  }
  return mapped;
}
