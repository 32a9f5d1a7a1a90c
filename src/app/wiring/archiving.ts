import { join, resolve } from 'node:path';
import { Archiving } from '../../archive/archiving.ts';
import { JobRunning, JobsStopped } from '../../lib/jobs/jobRunner.ts';
import type { Config } from '../config/config.ts';
import type { Foundation } from './foundation.ts';

const FIRST_AFTER_MS = 60_000;
const INTERVAL_MS = 3_600_000;

/** The folder of archive files. */
export const archiveFolderOf = (config: Pick<Config, 'SVC_ARCHIVE_DIR' | 'SVC_DATA_DIR'>, dir?: string): string =>
  resolve(dir ?? config.SVC_ARCHIVE_DIR ?? join(config.SVC_DATA_DIR, 'archives'));

/** @returns undefined for a store whose days cannot be archived */
export function createArchiving({ config, store, hot, now }: Pick<Foundation, 'config' | 'store' | 'hot' | 'now'>) {
  return (
    store.archiving &&
    new Archiving({
      ...store.archiving,
      log: store.log,
      logPath: store.logPath,
      folder: archiveFolderOf(config),
      holds: () => hot.state.holds.active.values(),
      now,
    })
  );
}

/**
 * Archives each day that becomes older than `SVC_RETENTION_REQUEST_DAYS`, as a job, while the clock of the machine is trusted. A day
 * that was restored stays until an operator archives it again.
 * @returns what ends it
 */
export function startRetention(
  { config, clock, jobs, report }: Pick<Foundation, 'config' | 'clock' | 'jobs' | 'report'>,
  archiving: Archiving | undefined,
): () => void {
  const days = config.SVC_RETENTION_REQUEST_DAYS;
  if (days === undefined || !archiving) return () => undefined;
  const actor = { kind: 'system', reason: 'requests stay for SVC_RETENTION_REQUEST_DAYS' } as const;
  let done = '';
  const run = (): void => {
    const today = new Date().toISOString().slice(0, 10);
    if (today === done || clock.limitClock.isHeld) return;
    try {
      jobs.start({
        kind: 'archive',
        actor,
        async run(control) {
          const result = await archiving.archive({ days }, actor, control, true);
          done = today;
          return result;
        },
      });
    } catch (error) {
      // Another job runs: the next attempt is in an hour.
      if (!(error instanceof JobRunning || error instanceof JobsStopped)) report(error);
    }
  };
  const first = setTimeout(run, FIRST_AFTER_MS).unref();
  const timer = setInterval(run, INTERVAL_MS).unref();
  return () => {
    clearTimeout(first);
    clearInterval(timer);
  };
}
