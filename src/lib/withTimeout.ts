/**
 * Waits for a promise, but no longer than so many milliseconds; keeps no process alive. Rejects as the promise does.
 * @returns undefined when the time was over first
 */
export async function withTimeout<Result>(ms: number, promise: Promise<Result>): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined).unref();
  });
  try {
    return await Promise.race([promise, patience]);
  } finally {
    clearTimeout(timer);
  }
}
