import { z } from 'zod';
import { instant, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { Actor } from '../../eventLog/eventLog.ts';
import { type Job, type JobRunner, JobRunning, type JobStart, JobsStopped } from '../../lib/jobs/jobRunner.ts';
import { EventActor, eventActor, type People } from './actor.ts';
import type { ManagementContext } from './context.ts';

/** The runner of long work on this node. */
export type Jobs = JobRunner<Actor>;

/** A job on the wire. */
export const JobEntry = z
  .object({
    id: z.string(),
    kind: z.string().describe('What the job does'),
    state: z.enum(['running', 'done', 'failed', 'cancelled']),
    actor: EventActor.describe('Who started it'),
    started_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    progress: z.object({
      done: z.number().describe('Units that are done, e.g. events'),
      of: z.number().nullable().describe('Units in total; null while it is not known'),
      step: z.string().describe('What the job does at the moment'),
    }),
    result: z.record(z.string(), z.unknown()).nullable().describe('What it returned; null unless it is done'),
    error: z.string().nullable().describe('Why it failed'),
  })
  .meta({ id: 'Job' });

/** The errors of every route that starts a job. */
export const START_ERRORS = ['job_running', 'shutting_down'] as const;

/** @returns a job as `JobEntry` describes it */
export const jobEntry = (job: Job<Actor>, people: People): z.infer<typeof JobEntry> => ({
  id: job.id,
  kind: job.kind,
  state: job.state,
  actor: eventActor(job.actor, people),
  started_at: iso(instant(job.startedAt)),
  ended_at: job.endedAt === undefined ? null : iso(instant(job.endedAt)),
  progress: { ...job.progress, of: job.progress.of ?? null },
  result: job.result ?? null,
  error: job.error ?? null,
});

/**
 * Starts a job for a route with `status: 202`, `response: JobEntry` and `START_ERRORS`.
 * @returns the job for the response
 * @throws Refusal `job_running` | `shutting_down`
 */
export function startJob(
  ctx: ManagementContext,
  { jobs, ...people }: People & { readonly jobs: Jobs },
  { kind, run }: Pick<JobStart<Actor>, 'kind' | 'run'>,
): z.infer<typeof JobEntry> {
  ctx.state.cause.authorize?.();
  try {
    const job = jobs.start({ kind, run, actor: ctx.state.cause.actor });
    ctx.status = 202;
    return jobEntry(job, people);
  } catch (error) {
    if (error instanceof JobRunning) refuse('job_running', { jobId: error.job.id, kind: error.job.kind });
    if (error instanceof JobsStopped) refuse('shutting_down');
    throw error;
  }
}
