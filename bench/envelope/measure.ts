/** Does its work for the body of that number, and returns something that depends on it. */
export type Way = (index: number) => number;

const ROUND_MS = 3;

/**
 * Microseconds of each way. All take turns in short rounds, and the best of many rounds counts: on a machine that others
 * use, that is the time of the work alone.
 */
export function measure(ways: Readonly<Record<string, Way>>, rounds: number): Record<string, number> {
  const names = Object.keys(ways);
  const iterations = new Map<string, number>();
  const best: Record<string, number> = {};
  for (const name of names) iterations.set(name, iterationsFor(ways[name] as Way));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const time = timeOf(ways[name] as Way, iterations.get(name) as number);
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, time);
    }
  }
  return best;
}

/** Warms up, then finds how often the way fits into a round; a multiple of 64, which is the number of conversations. */
function iterationsFor(way: Way): number {
  const end = performance.now() + 300;
  while (performance.now() < end) timeOf(way, 64);
  return Math.max(1, Math.round((ROUND_MS * 1_000) / timeOf(way, 256) / 64)) * 64;
}

let sink = 0;

function timeOf(way: Way, iterations: number): number {
  const start = performance.now();
  for (let index = 0; index < iterations; index++) sink += way(index);
  if (sink < 0) throw new Error('a body has a length');
  return ((performance.now() - start) * 1_000) / iterations;
}
