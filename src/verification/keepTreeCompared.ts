import { archivePathOf } from '../eventLog/archive/archiveFile.ts';
import type { Faults } from '../lib/faults.ts';
import { startThread, type Thread } from '../lib/threads/startThread.ts';
import type { CompareTreeThread } from './compareTreeThread.ts';
import type { Finding } from './finding.ts';

export interface KeepTreeComparedOptions {
  /** The log's file. */
  readonly logPath: string;
  /** `tree.sqlite`. */
  readonly treePath: string;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  /** Called with an error that compares nothing; the next pass tries again. */
  readonly report: (error: Error) => void;
  readonly timing?: Partial<typeof TIMING>;
}

export interface TreeComparer {
  /** Starts the first pass after a while. */
  start(): void;
  stop(): Promise<void>;
}

const TIMING = {
  /** After the start, so that its other work is done. */
  firstAfterMs: 600_000,
  intervalMs: 86_400_000,
};
const WORKER = new URL('./compareTreeWorker.ts', import.meta.url);
/** No object lives longer than a part of the log. */
const resourceLimits = { maxYoungGenerationSizeMb: 16 };
const CODE = 'log_differs_from_tree';

/**
 * Compares every event of the log with its leaf in the tree, after the start and once a day, in a thread of low priority that uses a
 * fifth of a core at most. The tree is compared with the last checkpoint before each signature; so an event that was changed and given
 * a new hash is found although its chain holds.
 */
export function keepTreeCompared(options: KeepTreeComparedOptions): TreeComparer {
  const { logPath, treePath, faults, report } = options;
  const timing = { ...TIMING, ...options.timing };
  let thread: Thread<CompareTreeThread> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function pass(): Promise<void> {
    const running = startThread<CompareTreeThread>(WORKER, {
      name: 'tree comparer',
      resourceLimits,
      keepsProcessAlive: false,
    });
    thread = running;
    try {
      const [first] = await running.request('compare', {
        log: logPath,
        archive: archivePathOf(logPath),
        tree: treePath,
      });
      if (first) faults.raise(difference(logPath, first));
      else faults.clear(CODE);
    } catch (error) {
      if (isStopped) return;
      report(
        new Error(`Couldn't compare the log with its tree: ${(error as Error).message}. svc tries again in a day.`),
      );
    } finally {
      thread = undefined;
      await running.terminate();
    }
    schedule(timing.intervalMs);
  }

  function schedule(afterMs: number): void {
    if (!isStopped) timer = setTimeout(() => void pass(), afterMs).unref();
  }

  return {
    start: () => schedule(timing.firstAfterMs),
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await thread?.terminate();
    },
  };
}

const difference = (logPath: string, { kind, position, stream, expected, found }: Finding) => ({
  code: CODE,
  cause:
    `${logPath} and its tree differ at position ${position} (${kind}, ${stream}): expected ${expected}; found ${found}. ` +
    'The log, what remains of its archived days, or tree.sqlite was changed.',
  remedy:
    'Run "svc verify --checkpoints" with the checkpoints that were published, which says what was changed. If it was the log or archive.sqlite, stop svc and restore it from a backup; if it was tree.sqlite, stop svc and delete that file.',
});
