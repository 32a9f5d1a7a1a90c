/** Processes the body with this index and returns a number that depends on the result. */
export type Variant = (index: number) => number;

const ROUND_MS = 3;

/**
 * Measures the variants, in turns of short rounds. @returns the microseconds of the best round of each: on a shared machine,
 * that is the time of the work alone
 */
export function measure(variants: Readonly<Record<string, Variant>>, rounds: number): Record<string, number> {
  const names = Object.keys(variants);
  const iterations = new Map<string, number>();
  const best: Record<string, number> = {};
  for (const name of names) iterations.set(name, iterationsFor(variants[name] as Variant));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const time = timeOf(variants[name] as Variant, iterations.get(name) as number);
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, time);
    }
  }
  return best;
}

/** Warms up, then returns the iterations that fit into a round: a multiple of 64, the number of conversations. */
function iterationsFor(variant: Variant): number {
  const end = performance.now() + 300;
  while (performance.now() < end) timeOf(variant, 64);
  return Math.max(1, Math.round((ROUND_MS * 1_000) / timeOf(variant, 256) / 64)) * 64;
}

let sink = 0;

function timeOf(variant: Variant, iterations: number): number {
  const start = performance.now();
  for (let index = 0; index < iterations; index++) sink += variant(index);
  if (sink < 0) throw new Error('the length of a body is negative');
  return ((performance.now() - start) * 1_000) / iterations;
}
