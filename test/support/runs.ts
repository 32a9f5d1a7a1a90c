/** Multiplier for a thorough run: with SVC_TEST_RUNS=20 every property runs twenty times as often. */
export const thoroughness = Number(process.env.SVC_TEST_RUNS ?? 1);

/** The number of runs of a property, as an option of fast-check. */
export const runs = (count: number): { numRuns: number } => ({ numRuns: Math.ceil(count * thoroughness) });
