import { join } from 'node:path';
import { startThread, type Thread } from '../../lib/threads/startThread.ts';
import type { HotRunner } from '../hotRunner.ts';
import type { SnapshotOutcome, SnapshotTask } from './makeSnapshot.ts';
import type { SnapshotFolder } from './snapshotFolder.ts';
import { SnapshotRefuted } from './snapshotVerifier.ts';

/** The messages between the main thread and a thread that makes a snapshot. */
export interface SnapshotThread {
  requests: {
    makeSnapshot(task: SnapshotTask): SnapshotOutcome;
  };
}

export interface KeepSnapshotsOptions {
  readonly hot: HotRunner;
  /** The log's file. */
  readonly logPath: string;
  readonly folder: SnapshotFolder;
  /** Whether this process started from the newest snapshot, which is then verified first. */
  readonly isStartedFromSnapshot: boolean;
  /** Called once when the state of this process is wrong, because its snapshot does not match the log. */
  readonly onRefuted: (error: SnapshotRefuted) => void;
  readonly report: (line: string) => void;
  /** Number of events between two snapshots. */
  readonly interval?: number;
  /** How often the folder is looked at. */
  readonly checkMs?: number;
}

export interface SnapshotKeeper {
  /** Starts verifying and writing snapshots. Resolves when one that was due has been made; does nothing after `stop`. */
  start(): Promise<void>;
  /** Aborts an unfinished snapshot; resolves when its thread has ended. */
  stop(): Promise<void>;
}

const WORKER = new URL('./snapshotWorker.ts', import.meta.url);
/** Its objects live as long as a page of events, or until its end. With half of it pages are promoted: 27 MB more at the peak. */
const resourceLimits = { maxYoungGenerationSizeMb: 24 };
/** A start folds the events after the newest snapshot in less than a second. */
const DEFAULT_INTERVAL = 100_000;
const CHECK_MS = 60_000;

/**
 * Makes snapshots of the hot state in a thread that folds the log on its own, so that the main thread, and with it every
 * request, pays for one comparison per event. No snapshot is made at the shutdown: a killed process must start as fast as a
 * stopped one (docs/decisions/0013-hot-state-and-snapshots.md). One that is deleted meanwhile is made again.
 */
export function keepSnapshots(options: KeepSnapshotsOptions): SnapshotKeeper {
  const { hot, logPath, folder, onRefuted, report, interval = DEFAULT_INTERVAL, checkMs = CHECK_MS } = options;
  let thread: Thread<SnapshotThread> | undefined;
  /** Position at which the next snapshot is made. */
  let due = Number.POSITIVE_INFINITY;
  let isVerified = !options.isStartedFromSnapshot;
  let isStopped = false;
  /** File name of the newest snapshot, as far as this process knows it. */
  let newest = options.isStartedFromSnapshot ? folder.names()[0] : undefined;
  let checking: NodeJS.Timeout | undefined;

  async function make(): Promise<void> {
    due = Number.POSITIVE_INFINITY;
    const [basis] = folder.names();
    const { path, key } = folder;
    const task: SnapshotTask = { logPath, folder: path, key, basis, verifies: !isVerified, minEvents: interval };
    thread = startThread<SnapshotThread>(WORKER, { name: 'snapshot', resourceLimits });
    const outcome = await thread.request('makeSnapshot', task).catch((error: Error) => error);
    if (isStopped) return;
    if (outcome instanceof Error) {
      report(
        `Couldn't make a snapshot of the hot state: ${outcome.message}. The next start takes longer; retrying after ${interval} events.`,
      );
      due = hot.state.position + interval;
    } else onOutcome(outcome);
    await thread.stop();
    thread = undefined;
    void makeWhenDue();
  }

  function onOutcome(outcome: SnapshotOutcome): void {
    if (outcome.kind === 'refuted') {
      onRefuted(refute(outcome.reason));
      return;
    }
    isVerified = true;
    newest = outcome.name;
    due = outcome.position + interval;
  }

  function checkFolder(): void {
    if (thread || isStopped || newest === undefined || folder.names().includes(newest)) return;
    report(`${join(folder.path, newest)} was deleted or moved while svc runs; the snapshot is made again.`);
    newest = undefined;
    due = 0;
    void makeWhenDue();
  }

  /** Removes the snapshots, so that the next start folds the whole log. @returns the error for the operator */
  function refute(reason: string): SnapshotRefuted {
    newest = undefined;
    folder.clear();
    return new SnapshotRefuted(
      `The snapshot of the hot state that this process started from does not match the log: ${reason.replace(/\.$/, '')}. ` +
        'The snapshots are removed, and the next start folds the log from its beginning.',
    );
  }

  async function makeWhenDue(): Promise<void> {
    if (!thread && !isStopped && hot.state.position >= due) await make();
  }

  return {
    start() {
      hot.onFolded(() => {
        if (hot.state.position >= due) void makeWhenDue();
      });
      due = isVerified ? interval : 0;
      checking ??= setInterval(checkFolder, checkMs).unref();
      return makeWhenDue();
    },
    async stop() {
      isStopped = true;
      clearInterval(checking);
      await thread?.terminate();
    },
  };
}
