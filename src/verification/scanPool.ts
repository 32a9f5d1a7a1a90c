import { availableParallelism } from 'node:os';
import { startThread, type Thread } from '../lib/threads/startThread.ts';
import type { Occurrence, ScannedPart, ScanRange, ScanSource, ScanThread } from './scanProtocol.ts';

const WORKER = new URL('./scanWorker.ts', import.meta.url);
/** No object lives longer than a part. */
const resourceLimits = { maxYoungGenerationSizeMb: 16 };
/** Parts that each thread is asked for ahead, so that it does not wait while parts are joined. */
const AHEAD = 3;

export interface ScanPool {
  /** Scans ranges in parallel. Yields the parts in the order of the ranges. */
  scan(ranges: AsyncIterable<ScanRange> | Iterable<ScanRange>): AsyncGenerator<ScannedPart>;
  locate(ranges: Iterable<ScanRange>, keys: readonly string[]): AsyncGenerator<readonly Occurrence[]>;
  close(): Promise<void>;
}

/**
 * Starts a thread for each core.
 * @param wanted hashes and ids of events whose positions are asked for @param threads default: the number of cores
 */
export function startScanPool(
  source: ScanSource,
  wanted: readonly string[],
  threads: number = availableParallelism(),
): ScanPool {
  const pool = Array.from({ length: threads }, (_, index) =>
    startThread<ScanThread>(WORKER, {
      name: `verifier ${index + 1}`,
      options: () => ({ source, wanted }),
      resourceLimits,
    }),
  );
  // The error of a thread that could not start is that of its first request, too.
  for (const thread of pool) thread.ready.catch(() => undefined);

  async function* inOrder<Task, Result>(
    tasks: AsyncIterable<Task> | Iterable<Task>,
    run: (thread: Thread<ScanThread>, task: Task) => Promise<Result>,
  ): AsyncGenerator<Result> {
    const running: Promise<Result>[] = [];
    let next = 0;
    for await (const task of tasks) {
      const result = run(pool[next++ % threads] as Thread<ScanThread>, task);
      // It is awaited in its turn; until then a failure is not unhandled.
      result.catch(() => undefined);
      running.push(result);
      if (running.length >= threads * AHEAD) yield running.shift() as Promise<Result>;
    }
    for (const result of running) yield result;
  }

  return {
    scan: (ranges) => inOrder(ranges, (thread, range) => thread.request('scan', range)),
    locate: (ranges, keys) => inOrder(ranges, (thread, range) => thread.request('locate', { range, keys })),
    async close() {
      await Promise.all(pool.map((thread) => thread.terminate()));
    },
  };
}
