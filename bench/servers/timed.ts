/** Does something and says how long it took. @param count what it did so many of */
export async function timed<Result>(
  what: string,
  count: number,
  say: (line: string) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const start = performance.now();
  const result = await work();
  const seconds = (performance.now() - start) / 1_000;
  say(`${what}: ${seconds.toFixed(2)} s, ${Math.round(count / seconds)}/s`);
  return result;
}
