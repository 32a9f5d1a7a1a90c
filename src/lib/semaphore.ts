/** Runs work, at most `permits` of it at a time and in the order of the calls. */
export function createSemaphore(permits: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let free = permits;
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
