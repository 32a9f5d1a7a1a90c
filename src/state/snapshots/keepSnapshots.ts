import { startThread, type Thread } from '../../lib/threads/startThread.ts';
import type { HotRunner } from '../hotRunner.ts';
import type { SnapshotOutcome, SnapshotTask } from './makeSnapshot.ts';
import { SnapshotRefuted } from './proof.ts';
import type { SnapshotFolder } from './snapshotFolder.ts';

/** What passes between the main thread and one that makes a snapshot. */
export interface SnapshotThread {
  requests: {
    makeSnapshot(task: SnapshotTask): SnapshotOutcome;
  };
}

export interface KeepSnapshotsOptions {
  readonly hot: HotRunner;
  /** A file that has every event at its position. */
  readonly logPath: string;
  readonly folder: SnapshotFolder;
  /** Whether this start went on from the newest snapshot: then it is proved first. */
  readonly isBegunFromSnapshot: boolean;
  /** The state of this process cannot be relied on; told once. */
  readonly onRefuted: (error: SnapshotRefuted) => void;
  readonly say: (line: string) => void;
  /** Events from one snapshot to the next. */
  readonly every?: number;
}

export interface SnapshotKeeper {
  /** Begins; before that nothing is proved or written. */
  start(): void;
  /** Resolves when no snapshot is being made any more; one that is not finished is given up. */
  stop(): Promise<void>;
}

const WORKER = new URL('./snapshotWorker.ts', import.meta.url);
/** A start folds less than a second of events behind the newest snapshot. */
const EVERY = 100_000;

/**
 * Has snapshots of the hot state made by a thread that folds the log by itself: this thread, and with it every request, pays
 * one comparison for an event. None is made at the end: a process that is killed must start as fast as one that was stopped.
 */
export function keepSnapshots(options: KeepSnapshotsOptions): SnapshotKeeper {
  const { hot, logPath, folder, onRefuted, say, every = EVERY } = options;
  let thread: Thread<SnapshotThread> | undefined;
  /** Position at which the next one is to be made. */
  let due = Number.POSITIVE_INFINITY;
  let isProved = !options.isBegunFromSnapshot;
  let isStopped = false;

  async function make(): Promise<void> {
    due = Number.POSITIVE_INFINITY;
    const [basis] = folder.names();
    const task: SnapshotTask = { logPath, folder: folder.path, basis, proves: !isProved, every };
    thread = startThread<SnapshotThread>(WORKER, { name: 'snapshot' });
    const outcome = await thread.request('makeSnapshot', task).catch((error: Error) => error);
    if (isStopped) return;
    if (outcome instanceof Error) {
      say(`no snapshot of the hot state could be made: ${outcome.message}`);
      due = hot.state.position + every;
    } else onOutcome(outcome);
    await thread.stop();
    thread = undefined;
    makeWhenDue();
  }

  function onOutcome(outcome: SnapshotOutcome): void {
    if (outcome.kind === 'refuted') {
      onRefuted(refuted(outcome.reason));
      return;
    }
    isProved = true;
    due = outcome.position + every;
  }

  /** @returns what the operator reads; the next start meets what a start without snapshots meets */
  function refuted(reason: string): SnapshotRefuted {
    folder.clear();
    return new SnapshotRefuted(
      `The snapshot of the hot state that this start went on from is not what the log gives: ${reason}. ` +
        'The snapshots are removed, and the next start folds the log from its beginning.',
    );
  }

  function makeWhenDue(): void {
    if (!thread && !isStopped && hot.state.position >= due) void make();
  }

  return {
    start() {
      hot.onFolded(makeWhenDue);
      due = isProved ? every : 0;
      makeWhenDue();
    },
    async stop() {
      isStopped = true;
      await thread?.terminate();
    },
  };
}
