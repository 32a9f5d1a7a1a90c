/** Runs work and prints its duration and rate. @param count number of items that the work processes */
export async function measure<Result>(
  label: string,
  count: number,
  print: (line: string) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const start = performance.now();
  const result = await work();
  const seconds = (performance.now() - start) / 1_000;
  print(`${label}: ${seconds.toFixed(2)} s, ${Math.round(count / seconds)}/s`);
  return result;
}
