/** Multiplier for a thorough run: with SVC_TEST_RUNS=20 every property is tried twenty times as often. */
export const thoroughness = Number(process.env.SVC_TEST_RUNS ?? 1);

/** How often a property is tried, as an option of fast-check. */
export const runs = (count: number): { numRuns: number } => ({ numRuns: Math.ceil(count * thoroughness) });
