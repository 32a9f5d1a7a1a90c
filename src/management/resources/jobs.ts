import { z } from 'zod';
import { refuse } from '../../domain/core/refusal.ts';
import type { People } from '../http/actor.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { JobEntry, type Jobs, jobEntry } from '../http/jobs.ts';
import { EXAMINERS, READERS } from '../http/roles.ts';

const routes = {
  list: describeRoute({
    roles: READERS,
    at: { none: 'jobs are remembered by the node that runs them, not by the log' },
    summary: 'List the jobs of this node since its start, latest first; it remembers the last 20',
    response: z.object({ jobs: z.array(JobEntry) }),
  }),
  get: describeRoute({
    roles: READERS,
    at: { none: 'jobs are remembered by the node that runs them, not by the log' },
    summary: 'Get a job with its progress',
    response: JobEntry,
    errors: ['job_not_found'],
  }),
  cancel: describeRoute({
    roles: EXAMINERS,
    summary: 'Cancel a job; one that has ended stays as it is',
    response: JobEntry,
    errors: ['job_not_found'],
  }),
};

/** A job ends within milliseconds of its cancellation, unless it is in the middle of something that must not be left half done. */
const CANCEL_WAIT_MS = 2_000;

/** Long work on this node: verifications, evidence, archive runs. It runs one job at a time. */
export const jobRoutes = ({ jobs, ...people }: { readonly jobs: Jobs } & People) =>
  newRouter('/api/jobs')
    .get('/', routes.list, () => ({ jobs: jobs.all.map((job) => jobEntry(job, people)) }))
    .get('/:id', routes.get, ({ params: { id: jobId = '' } }) =>
      jobEntry(jobs.find(jobId) ?? refuse('job_not_found', { jobId }), people),
    )
    .delete('/:id', routes.cancel, async ({ params: { id: jobId = '' } }) =>
      jobEntry((await jobs.cancel(jobId, CANCEL_WAIT_MS)) ?? refuse('job_not_found', { jobId }), people),
    )
    .routes();
