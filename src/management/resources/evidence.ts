import { open } from 'node:fs/promises';
import { z } from 'zod';
import { type EvidenceFilter, EvidenceMade } from '../../domain/audit/events.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { EventSelection } from '../../evidence/make/selection.ts';
import type { EvidenceShelf, KeptBundle } from '../../evidence/shelf/evidenceShelf.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { available, type Integrity } from '../http/integrity.ts';
import { JobEntry, type Jobs, START_ERRORS, startJob } from '../http/jobs.ts';
import { EXAMINERS } from '../http/roles.ts';
import { actorFilters } from './history.ts';

const MAX_VALUES = 20;
const MAX_TYPES = 100;
const list = (maxValues: number) => z.array(z.string().min(1).max(1_000)).min(1).max(maxValues).optional();
const time = z.iso.datetime({ offset: true }).optional();

const Selection = wireObject({
  since: time,
  until: time,
  requests: list(MAX_VALUES).describe('Request ids: events that they caused or that mention them'),
  subjects: list(MAX_VALUES).describe('As in the history, e.g. apiKey-<id>'),
  types: list(MAX_TYPES),
  actors: list(MAX_VALUES).describe('As in the history'),
  search: z.string().min(3).max(200).optional().describe('Part of the sentence; successful requests are not searched'),
  incident: z
    .boolean()
    .optional()
    .describe(
      'Adds what the state at the beginning of the period depends on: all earlier events but those of requests',
    ),
});

const routes = {
  make: describeRoute({
    roles: EXAMINERS,
    isIrreversible: true,
    summary: 'Make an evidence bundle of events; the result of the job has its path',
    body: Selection,
    status: 202,
    response: JobEntry,
    errors: ['validation_error', 'archived', 'proof_unavailable', ...START_ERRORS],
  }),
  get: describeRoute({
    roles: EXAMINERS,
    at: { none: 'a bundle is a file, which shows the moment that it was made for' },
    summary: 'Download an evidence bundle, a ZIP file; a node keeps the last ones for an hour',
    response: 'bytes',
    errors: ['evidence_not_found'],
  }),
};

/** Records that a bundle was made. Durable when it resolves. */
export type RecordEvidence = (event: ReturnType<typeof EvidenceMade>, cause: Cause) => Promise<void>;

export interface EvidenceOptions extends Pick<Capabilities, 'views' | 'vault' | 'directory'> {
  readonly jobs: Jobs;
  readonly integrity: Integrity;
  readonly evidence: EvidenceShelf;
  readonly recordEvidence: RecordEvidence;
  readonly node: { readonly name: string };
}

/** Evidence bundles of this node (docs/integrity.md#evidence-bundles). */
export const evidenceRoutes = (options: EvidenceOptions) =>
  newRouter('/api/evidence')
    .post('/', routes.make, async (ctx) => {
      const { vault, views, integrity, evidence, recordEvidence, node } = options;
      const body = await readBody(ctx, Selection, 'validation_error');
      const stated = selectionOf(body);
      for (const requestId of stated.requests ?? []) {
        const archived = await available(integrity.tree.archivedRequest(requestId));
        if (archived) return refuse('archived', { ...archived });
      }
      const selection = { ...stated, actors: stated.actors?.flatMap((actor) => actorFilters(actor, vault)) };
      const { cause } = ctx.state;
      return startJob(ctx, options, {
        kind: 'evidence',
        async run(control) {
          control.onProgress(0, undefined, 'waiting for a checkpoint');
          // Without a new one, the events up to the last one are proved, and the others counted.
          const cover = () => integrity.checkpoints.covering(views.current.position).catch(() => undefined);
          await cover();
          const make = () => evidence.make(selection, stated, control);
          // Over EventStoreDB, what was asked for may arrive after the checkpoint was signed.
          const bundle = await make().catch(async (error: Error) => {
            if (!error.message.startsWith('No checkpoint covers')) throw error;
            await cover();
            return make();
          });
          const { events, treeSize, root, bytes, sha256 } = bundle;
          const filter = filterOf(stated);
          await recordEvidence(EvidenceMade({ node: node.name, filter, events, treeSize, root, bytes, sha256 }), cause);
          return resultOf(bundle);
        },
      });
    })
    .get('/:id', routes.get, async (ctx) => {
      const bundle = options.evidence.find(ctx.params.id ?? '');
      if (!bundle) return refuse('evidence_not_found');
      // Opened here: what a stream fails to open by itself, after a HEAD request was answered, would end the process.
      const file = await open(bundle.path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return refuse('evidence_not_found');
        throw error;
      });
      ctx.type = 'application/octet-stream';
      ctx.length = bundle.bytes;
      ctx.set('content-disposition', `attachment; filename="${bundle.name}"`);
      ctx.set('cache-control', 'no-store');
      return file.createReadStream();
    })
    .routes();

type Body = z.infer<typeof Selection>;

/** @throws Refusal `validation_error` */
function selectionOf({ since, until, incident, ...conditions }: Body): EventSelection {
  const selection: EventSelection = {
    ...conditions,
    since: since === undefined ? undefined : Date.parse(since),
    until: until === undefined ? undefined : Date.parse(until),
    isIncident: incident === true || undefined,
  };
  const problem = (param: string, text: string) => refuse('validation_error', { param, problem: text });
  if (selection.since !== undefined && selection.until !== undefined && selection.since > selection.until)
    problem('until', 'must not be before since');
  if (incident && selection.since === undefined) problem('since', 'is needed for an incident');
  if (incident && Object.values(conditions).some((value) => value !== undefined))
    problem('incident', 'has all events of its period: leave out the other conditions');
  return selection;
}

function filterOf({
  since,
  until,
  requests,
  subjects,
  types,
  actors,
  search,
  isIncident,
}: EventSelection): EvidenceFilter {
  return {
    ...(since !== undefined && { since: since as Instant }),
    ...(until !== undefined && { until: until as Instant }),
    ...(requests && { requestId: requests.join(' ') }),
    ...(subjects && { subject: subjects.join(' ') }),
    ...(isIncident && { incident: 'with the state before it' }),
    ...(types && { types: [...types] }),
    ...(actors && { actors: [...actors] }),
    ...(search !== undefined && { search }),
  };
}

/** The result of the job. */
const resultOf = (bundle: KeptBundle) => ({
  evidence_id: bundle.id,
  path: `/api/evidence/${bundle.id}`,
  name: bundle.name,
  bytes: bundle.bytes,
  sha256: bundle.sha256,
  events: bundle.events,
  first_position: bundle.firstPosition,
  last_position: bundle.lastPosition,
  /** Events that no checkpoint covers yet. */
  uncovered: bundle.uncovered,
  /** Days whose events are archived and therefore not in it. */
  archived: bundle.archived,
  tree_size: bundle.treeSize,
  root: bundle.root,
  public_key: bundle.vkey,
  verifier_sha256: bundle.verifier,
});
