/** For a thorough run, at night say: SVC_TEST_RUNS=20 tries every property twenty times as often. */
export const thoroughness = Number(process.env.SVC_TEST_RUNS ?? 1);

/** How often a property is tried. */
export const runs = (count: number): { numRuns: number } => ({ numRuns: Math.ceil(count * thoroughness) });
