import { z } from 'zod';
import { refuse } from '../../domain/core/refusal.ts';
import type { Actor } from '../../eventLog/eventLog.ts';
import type { Job } from '../../lib/jobs/jobRunner.ts';
import { replayCsv } from '../../replay/output/replayCsv.ts';
import type { ReplayRequest, ReplayShelf } from '../../replay/service/replayShelf.ts';
import type { ReplayReport } from '../../replay/service/replayThread.ts';
import { InvalidWhatIf } from '../../replay/whatIf/whatIf.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { parseTime } from '../http/isoTime.ts';
import { JobEntry, type Jobs, jobEntry, START_ERRORS, startJob } from '../http/jobs.ts';
import { READERS } from '../http/roles.ts';
import { ReplayReportEntry } from './replays/replaySchema.ts';
import { toWhatIf, whatIfFields } from './replays/whatIfInput.ts';

const NO_PAST = { none: 'replays are remembered by the node that made them, not by the log' };

const StartReplay = wireObject({
  since: z.string().nullish().describe('Only requests that were made then or later'),
  until: z.string().nullish().describe('Only requests that were made until then, inclusive'),
  what_if: wireObject(whatIfFields).nullish().describe('Absent: only repeat what was decided'),
});

const ReplayEntry = z
  .object({
    job: JobEntry,
    report: ReplayReportEntry.nullable().describe('Null until the job is done; a node keeps the last 5'),
  })
  .meta({ id: 'Replay' });

const routes = {
  list: describeRoute({
    roles: READERS,
    at: NO_PAST,
    summary: 'List the replays of this node since its start, latest first',
    response: z.object({ replays: z.array(JobEntry) }),
  }),
  start: describeRoute({
    roles: READERS,
    summary:
      'Repeat the decisions about the requests of a period, as `svc replay` does, at low priority, and simulate what would have happened under a what-if',
    body: StartReplay,
    status: 202,
    response: JobEntry,
    errors: ['validation_error', ...START_ERRORS],
  }),
  get: describeRoute({
    roles: READERS,
    at: NO_PAST,
    summary: 'Get a replay with its progress and, once it is done, its report',
    response: ReplayEntry,
    errors: ['job_not_found'],
  }),
  csv: describeRoute({
    roles: READERS,
    at: NO_PAST,
    summary: 'Download the report of a replay as CSV, one figure a line',
    response: 'text',
    errors: ['job_not_found'],
  }),
  cancel: describeRoute({
    roles: READERS,
    summary: 'Cancel a replay; one that has ended stays as it is',
    response: JobEntry,
    errors: ['job_not_found'],
  }),
};

const KIND = 'replay';
const CANCEL_WAIT_MS = 2_000;

export interface ReplayRoutesOptions extends Pick<Capabilities, 'vault' | 'directory' | 'ids'> {
  readonly jobs: Jobs;
  readonly replays: ReplayShelf;
}

/** Replays of the log through this service (docs/operation.md#replay-decisions). They read only, and are no audit events. */
export const replayRoutes = (options: ReplayRoutesOptions) => {
  const { jobs, replays, ids } = options;
  const find = (jobId: string): Job<Actor> => {
    const job = jobs.find(jobId);
    return job?.kind === KIND ? job : refuse('job_not_found', { jobId });
  };
  const reportOf = ({ result }: Job<Actor>): ReplayReport | null => {
    const reportId = result?.report_id;
    return (typeof reportId === 'string' && replays.find(reportId)) || null;
  };

  return newRouter('/api/replays')
    .get('/', routes.list, () => ({
      replays: jobs.all.filter(({ kind }) => kind === KIND).map((job) => jobEntry(job, options)),
    }))
    .post('/', routes.start, async (ctx) => {
      const request = requestOf(await readBody(ctx, StartReplay, 'validation_error'), replays);
      const reportId = ids.newId();
      return startJob(ctx, options, {
        kind: KIND,
        async run(control) {
          const { requests, repeated, differences, more_differences, what_if } = await replays.replay(
            reportId,
            request,
            control,
          );
          return {
            report_id: reportId,
            requests,
            repeated,
            differences: differences.length + more_differences,
            different_requests: what_if?.requests.different ?? null,
          };
        },
      });
    })
    .get('/:id', routes.get, ({ params: { id = '' } }) => {
      const job = find(id);
      return { job: jobEntry(job, options), report: reportOf(job) };
    })
    .get('/:id/csv', routes.csv, (ctx) => {
      const { id = '' } = ctx.params;
      const report = reportOf(find(id)) ?? refuse('job_not_found', { jobId: id });
      ctx.type = 'text/plain; charset=utf-8';
      ctx.set('content-disposition', `attachment; filename="svc-replay-${id.slice(0, 8)}.csv"`);
      // Spreadsheets recognise UTF-8 only by the byte order mark.
      return `\u{feff}${[...replayCsv(report, report.what_if)].join('\r\n')}\r\n`;
    })
    .delete('/:id', routes.cancel, async ({ params: { id = '' } }) =>
      jobEntry((await jobs.cancel(find(id).id, CANCEL_WAIT_MS)) ?? refuse('job_not_found', { jobId: id }), options),
    )
    .routes();
};

/** @throws Refusal `validation_error` */
function requestOf({ since, until, what_if }: z.output<typeof StartReplay>, replays: ReplayShelf): ReplayRequest {
  const period = { since: timeOf('since', since), until: timeOf('until', until) };
  if (period.since !== undefined && period.until !== undefined && period.since > period.until)
    refuse('validation_error', { param: 'until', problem: 'must not be before since' });
  if (!what_if) return { ...period, whatIf: undefined };
  const result = toWhatIf(what_if);
  if ('problem' in result) {
    const { param, problem } = result.problem;
    return refuse('validation_error', { param: `what_if.${param}`, problem });
  }
  const { whatIf } = result;
  try {
    replays.check({ whatIf });
  } catch (error) {
    if (error instanceof InvalidWhatIf)
      refuse('validation_error', { param: 'what_if', problem: `names what is not there: ${error.message}` });
    throw error;
  }
  return { ...period, whatIf };
}

function timeOf(param: string, text: string | null | undefined) {
  if (text === null || text === undefined) return undefined;
  return (
    parseTime(text) ?? refuse('validation_error', { param, problem: 'must be a time such as 2026-01-31T12:00:00Z' })
  );
}
