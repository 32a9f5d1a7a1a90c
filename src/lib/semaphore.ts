/** Runs work with at most `parallel` at a time, first come first served. */
export function createSemaphore(parallel: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let free = parallel;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else free++;
    }
  };
}
