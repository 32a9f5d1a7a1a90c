import { setTimeout as delay } from 'node:timers/promises';
import { call } from './management.ts';

/** The jobs of a service that can run beside the load, with the request that starts each. */
export const JOBS = {
  verify: { path: '/api/integrity/verify', body: {} },
  evidence: { path: '/api/evidence', body: {} },
} as const;
export type JobName = keyof typeof JOBS;

interface Job {
  readonly id: string;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  readonly progress: { readonly done: number };
  readonly error: string | null;
}

/** A job that is running again and again. */
export interface RepeatedJob {
  /** Cancels the one that runs. @returns how many ended before that @throws when one failed */
  stop(): Promise<number>;
}

const POLL_MS = 50;

/** Starts a job, and again each time that it has ended, until it is stopped. Resolves once the first one runs. */
export async function repeatJob(base: string, name: JobName): Promise<RepeatedJob> {
  const { path, body } = JOBS[name];
  const start = () => call(base, 'POST', path, body) as Promise<Job>;
  const read = ({ id }: Job) => call(base, 'GET', `/api/jobs/${id}`) as Promise<Job>;
  let job = await start();
  let ended = 0;
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      await delay(POLL_MS);
      job = await read(job);
      if (job.state === 'running') continue;
      if (job.state !== 'done') throw new Error(`job ${name} ${job.state}: ${job.error}`);
      ended += 1;
      if (!isStopped) job = await start();
    }
  })();
  // It is awaited at the stop; until then a failure is not unhandled.
  running.catch(() => undefined);
  return {
    async stop() {
      isStopped = true;
      await running;
      await call(base, 'DELETE', `/api/jobs/${job.id}`);
      return ended;
    },
  };
}
