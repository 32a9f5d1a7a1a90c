import { Worker } from 'node:worker_threads';
import type { HotRunner } from '../hotRunner.ts';
import type { SnapshotOutcome, SnapshotTask } from './makeSnapshot.ts';
import { SnapshotRefuted } from './proof.ts';
import type { SnapshotFolder } from './snapshotFolder.ts';

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

/** A start folds less than a second of events behind the newest snapshot. */
const EVERY = 100_000;

/**
 * Has snapshots of the hot state made by a thread that folds the log by itself: this thread, and with it every request, pays
 * one comparison for an event. None is made at the end: a process that is killed must start as fast as one that was stopped.
 */
export function keepSnapshots(options: KeepSnapshotsOptions): SnapshotKeeper {
  const { hot, logPath, folder, onRefuted, say, every = EVERY } = options;
  let worker: Worker | undefined;
  /** Position at which the next one is to be made. */
  let due = Number.POSITIVE_INFINITY;
  let isProved = !options.isBegunFromSnapshot;
  let isStopped = false;

  function make(): void {
    due = Number.POSITIVE_INFINITY;
    const [basis] = folder.names();
    const workerData: SnapshotTask = { logPath, folder: folder.path, basis, proves: !isProved, every };
    const started = new Worker(new URL('./snapshotWorker.ts', import.meta.url), { workerData });
    worker = started;
    started.on('message', onOutcome);
    started.on('error', (error: Error) => onOutcome({ kind: 'failed', reason: error.message }));
    started.on('exit', () => {
      if (worker === started) worker = undefined;
      makeWhenDue();
    });
  }

  function onOutcome(outcome: SnapshotOutcome): void {
    switch (outcome.kind) {
      case 'done':
        isProved = true;
        due = outcome.position + every;
        return;
      case 'failed':
        say(`no snapshot of the hot state could be made: ${outcome.reason}`);
        due = hot.state.position + every;
        return;
      case 'refuted':
        onRefuted(refuted(outcome.reason));
    }
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
    if (!worker && !isStopped && hot.state.position >= due) make();
  }

  return {
    start() {
      hot.onFolded(makeWhenDue);
      due = isProved ? every : 0;
      makeWhenDue();
    },
    async stop() {
      isStopped = true;
      await worker?.terminate();
    },
  };
}
