import { z } from 'zod';
import type { Archiving } from '../../archive/archiving.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { Segment } from '../../eventLog/archive/segment.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { JobEntry, type Jobs, START_ERRORS, startJob } from '../http/jobs.ts';
import { ADMINISTRATORS, READERS } from '../http/roles.ts';

const DAY = /^\d{4}-\d\d-\d\d$/;

const ArchiveEntry = z
  .object({
    day: z.string().describe('UTC'),
    events: z.int(),
    types: z.record(z.string(), z.int()).describe('Number of events of each type'),
    state: z.enum(['archived', 'restored']),
    file: z.object({ name: z.string(), bytes: z.int(), sha256: z.string() }),
    first_position: z.int(),
    last_position: z.int(),
    sealed_to: z.int().describe('A fold of the log begins behind this position'),
    root: z.string().describe('Root of the Merkle tree over all events up to sealed_to, in hexadecimal'),
    segment: z.int(),
  })
  .meta({ id: 'ArchiveEntry' });

const StartArchive = wireObject({
  until: z.string().regex(DAY).optional().describe('The last UTC day to archive, for example 2026-11-01'),
  days: z.int().min(0).max(36_500).optional().describe('Instead: full UTC days that stay'),
});

const routes = {
  list: describeRoute({
    roles: READERS,
    at: { none: 'archives are files; the history shows when each day was archived and restored' },
    summary: 'List the archived days of requests, the earliest first',
    response: z.array(ArchiveEntry),
  }),
  start: describeRoute({
    roles: ADMINISTRATORS,
    summary:
      'Archive closed days of requests, as `svc archive` does, at low priority; the job returns `archived` and `kept`',
    body: StartArchive,
    status: 202,
    response: JobEntry,
    errors: ['validation_error', ...START_ERRORS],
  }),
  restore: describeRoute({
    roles: ADMINISTRATORS,
    summary: 'Put the requests of an archived day back into the log, from the file in the folder of archives',
    status: 202,
    response: JobEntry,
    errors: ['not_found', ...START_ERRORS],
  }),
};

export interface ArchiveRoutesOptions extends Pick<Capabilities, 'vault' | 'directory'> {
  readonly jobs: Jobs;
  readonly archiving: Archiving;
}

/** Archived days (docs/integrity.md#retention-and-archives). */
export const archiveRoutes = (options: ArchiveRoutesOptions) =>
  newRouter('/api/archives')
    .get('/', routes.list, () => options.archiving.segments().map(entry))
    .post('/', routes.start, async (ctx) => {
      const { until, days } = await readBody(ctx, StartArchive, 'validation_error');
      const which = until !== undefined ? { until } : days !== undefined ? { days } : undefined;
      if (!which || (until !== undefined && days !== undefined))
        return refuse('validation_error', { param: 'until', problem: 'or days must be given, and not both' });
      const { archiving } = options;
      const { actor } = ctx.state.cause;
      return startJob(ctx, options, { kind: 'archive', run: (control) => archiving.archive(which, actor, control) });
    })
    .post('/:day/restore', routes.restore, (ctx) => {
      const { day = '' } = ctx.params;
      const { archiving } = options;
      const isArchived = archiving.segments().some(({ status, header }) => status === 'archived' && header.day === day);
      if (!isArchived) refuse('not_found', { path: ctx.path });
      const { actor } = ctx.state.cause;
      return startJob(ctx, options, { kind: 'restore', run: (control) => archiving.restore(day, actor, control) });
    })
    .routes();

const entry = ({ number, status, header }: Segment): z.infer<typeof ArchiveEntry> => ({
  day: header.day,
  events: header.events,
  types: header.types,
  state: status === 'archived' ? 'archived' : 'restored',
  file: header.file,
  first_position: header.first,
  last_position: header.last,
  sealed_to: header.upTo,
  root: header.root,
  segment: number,
});
