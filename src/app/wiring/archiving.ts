import { join, resolve } from 'node:path';
import { Archiving } from '../../archive/archiving.ts';
import { JobRunning, JobsStopped } from '../../lib/jobs/jobRunner.ts';
import type { Config } from '../config/config.ts';
import type { Foundation } from './foundation.ts';

const TIMING = { firstAfterMs: 60_000, intervalMs: 3_600_000 };
const FOLD_MS = 30_000;

/** The folder of archive files. */
export const archiveFolderOf = (config: Pick<Config, 'SVC_ARCHIVE_DIR' | 'SVC_DATA_DIR'>, dir?: string): string =>
  resolve(dir ?? config.SVC_ARCHIVE_DIR ?? join(config.SVC_DATA_DIR, 'archives'));

/** Archives days of a running service. */
export function createArchiving({ config, store, hot, now }: Pick<Foundation, 'config' | 'store' | 'hot' | 'now'>) {
  return new Archiving({
    ...store.archiving,
    log: store.log,
    logPath: store.logPath,
    folder: archiveFolderOf(config),
    holds: () => hot.state.holds.active.values(),
    whenFolded: async () => hot.whenFolded(await store.log.head(), FOLD_MS),
    now,
  });
}

/** What the policy needs of the service. */
export interface RetentionFoundation extends Pick<Foundation, 'jobs' | 'now' | 'report'> {
  readonly config: Pick<Config, 'SVC_RETENTION_REQUEST_DAYS'>;
  readonly clock: { readonly limitClock: { readonly isHeld: boolean } };
}

/**
 * Archives each day that becomes older than `SVC_RETENTION_REQUEST_DAYS`, as a job, while the clock of the machine is trusted. A day
 * that was restored stays until an operator archives it again.
 * @returns what ends it
 */
export function startRetention(
  { config, clock, jobs, now, report }: RetentionFoundation,
  archiving: Pick<Archiving, 'archive'>,
  { firstAfterMs, intervalMs } = TIMING,
): () => void {
  const days = config.SVC_RETENTION_REQUEST_DAYS;
  if (days === undefined) return () => undefined;
  const actor = { kind: 'system', reason: 'requests stay for SVC_RETENTION_REQUEST_DAYS' } as const;
  let done = '';
  const run = (): void => {
    const today = new Date(now()).toISOString().slice(0, 10);
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
  const first = setTimeout(run, firstAfterMs).unref();
  const timer = setInterval(run, intervalMs).unref();
  return () => {
    clearTimeout(first);
    clearInterval(timer);
  };
}
