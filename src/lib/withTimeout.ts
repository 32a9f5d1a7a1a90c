/**
 * Waits for a promise for at most `ms` milliseconds; the timer keeps no process alive. Rejects if the promise does.
 * @returns undefined when the time ran out first
 */
export async function withTimeout<Result>(ms: number, promise: Promise<Result>): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined).unref();
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
