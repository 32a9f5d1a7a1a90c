export type Random = ReturnType<typeof createRandom>;

/** Creates a generator of numbers in [0, 1) that are the same in every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Creates a generator of random choices that are the same in every run. */
export function createRandom(seed: number) {
  const next = seededRandom(seed);
  const upTo = (max: number): number => Math.floor(next() * (max + 1));
  return {
    /** An integer from 0 to `limit - 1`. */
    below: (limit: number): number => Math.floor(next() * limit),
    /** An integer, both bounds included. */
    between: (min: number, max: number): number => min + upTo(max - min),
    chance: (probability: number): boolean => next() < probability,
    pick: <Value>(values: readonly Value[]): Value => values[upTo(values.length - 1)] as Value,
    /** One of the names, with a probability proportional to its weight. */
    weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
      const entries = Object.entries(weights) as [Name, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      return (entries.at(-1) as [Name, number])[0];
    },
    /** Another generator that depends on this one's seed only. */
    branch: (salt: number) => createRandom(Math.imul(seed ^ 0x9e3779b9, salt + 1) ^ salt),
  };
}
