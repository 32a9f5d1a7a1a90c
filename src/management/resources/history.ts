import { z } from 'zod';
import { actorLabels, sealedOperatorLabel } from '../../../projections/history.ts';
import { iso, type Position, position } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { Actor } from '../../eventLog/eventLog.ts';
import type { HistoryEntry, HistoryFilter } from '../../readModels/historyQueries.ts';
import type { EventStep } from '../../state/past/past.ts';
import { openIfSealed } from '../../vault/openIfSealed.ts';
import type { Vault } from '../../vault/vault.ts';
import { addressDigest } from '../auth/clientSealer.ts';
import { EventActor, eventActor, type People } from '../http/actor.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { cursorOf, readCursor } from '../http/cursor.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { afterQuery, positionSchema, readNewSince } from '../http/newSince.ts';
import { queryInteger, queryList, queryText, queryTime } from '../http/query.ts';
import { READERS } from '../http/roles.ts';
import { archivedOf, archivedSchema } from './archives/archivedDays.ts';
import { changedStreamOf, eventDetails } from './history/eventDetails.ts';
import { subjectState } from './history/subjectState.ts';

const entryFields = {
  position: z.int(),
  time: z.iso.datetime(),
  type: z.string(),
  subject: z.string(),
  actor: EventActor,
  sentence: z.string(),
};
const Entry = z.object(entryFields).meta({ id: 'HistoryEntry' });

const EventDetails = z
  .object({
    ...entryFields,
    id: z.string(),
    stream: z.string(),
    revision: z.int(),
    schema_version: z.int(),
    correlation_id: z.string(),
    causation_id: z.string().nullable(),
    node: z.string(),
    hash: z.string(),
    previous_hash: z.string(),
    data: z.unknown().describe('The stored event data, with secrets redacted'),
    before: z.unknown().describe('State of the subject before the event; null if it did not exist'),
    after: z.unknown().describe('State of the subject after the event; null if it no longer exists'),
    changes: z.array(z.object({ path: z.string().describe('JSON Pointer'), before: z.unknown(), after: z.unknown() })),
  })
  .meta({ id: 'HistoryEvent' });

/** Higher than MAX_VALUES: excluding requests means naming every other type. */
const MAX_TYPES = 100;
const MAX_VALUES = 20;
const MIN_SEARCH_CHARACTERS = 3;
const list = (maxValues: number) => z.array(z.string()).max(maxValues).optional();
const time = z.iso.datetime({ offset: true }).optional();

const routes = {
  list: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'List events, latest first',
    query: {
      subject: list(MAX_VALUES).describe('e.g. account-<id>, apiKey-<id>, firewall-main, settings-main'),
      type: list(MAX_TYPES).describe('e.g. ApiKeyCreated'),
      actor: list(MAX_VALUES).describe(
        'operator, operator:<address>, person:<operator id>, token:<id>, session:<id>, apiKey:<id>, anonymous, cli, system',
      ),
      since: time,
      until: time,
      search: z
        .string()
        .min(MIN_SEARCH_CHARACTERS)
        .optional()
        .describe('Part of the sentence; successful requests are not searched'),
      ...afterQuery,
      limit: z.int().min(1).max(200).default(50),
      cursor: z.string().optional().describe('next_cursor of the previous page'),
    },
    response: z.object({
      events: z.array(Entry),
      next_cursor: z.string().nullable(),
      ...positionSchema,
      ...archivedSchema,
    }),
    errors: ['validation_error', 'read_models_unavailable'],
  }),
  get: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'Get an event with all its data and the changes it made',
    response: EventDetails,
    errors: ['validation_error', 'not_found', 'archived'],
  }),
};

/** Every event of the log (docs/decisions/0055-history.md). */
export const historyRoutes = ({
  views,
  queries,
  vault,
  directory,
}: Pick<Capabilities, 'views' | 'queries' | 'vault' | 'directory'>) =>
  newRouter('/api/history')
    .get('/', routes.list, async (ctx) => {
      const limit = queryInteger(ctx, 'limit', { min: 1, max: 200, fallback: 50 });
      const [filter, cursor] = [readFilter(ctx, vault), readCursor(ctx)];
      const { state, upTo: asked } = await views.asOf(ctx);
      const { after, upTo, reached } = await readNewSince(ctx, asked, queries.progress);
      const people = { vault, directory: directory.asOf(state) };
      const stretches = views.stretchesOf(state);
      const page = await queries.history.page(
        { ...filter, stretches, ...(after !== undefined && { after }) },
        cursor,
        limit,
        upTo,
      );
      const shown = page.entries.filter(({ actor }) => !isFoundByForgottenAddress(actor, filter, vault));
      return {
        events: shown.map((found) => entry(found, people)),
        next_cursor: cursorOf(page.before),
        ...reached,
        ...archivedOf(page),
      };
    })
    .get('/:position', routes.get, async (ctx) => {
      const { state } = await views.asOf(ctx);
      const at = parsePosition(ctx.params.position ?? '');
      if (at === 0 || at > state.position) refuse('not_found', { path: ctx.path });
      const people = { vault, directory: directory.asOf(state) };
      return detailsOf(await views.eventStep(at), people);
    })
    .routes();

/** @throws Refusal `validation_error` */
function readFilter(ctx: ManagementContext, vault: Vault): HistoryFilter {
  const search = queryText(ctx, 'search')?.trim() || undefined;
  // The index consists of trigrams: a shorter text could only be found by reading every sentence.
  if (search && [...search].length < MIN_SEARCH_CHARACTERS) {
    refuse('validation_error', {
      param: 'search',
      problem: `must have at least ${MIN_SEARCH_CHARACTERS} characters`,
    });
  }
  const conditions: { [Name in keyof HistoryFilter]: HistoryFilter[Name] | undefined } = {
    search,
    subjects: queryList(ctx, 'subject', MAX_VALUES),
    types: queryList(ctx, 'type', MAX_TYPES),
    actors: queryList(ctx, 'actor', MAX_VALUES)?.flatMap((actor) => actorFilters(actor, vault)),
    since: queryTime(ctx, 'since'),
    until: queryTime(ctx, 'until'),
  };
  return Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined));
}

/**
 * Whether only the digest of its address matches an event of a person who was forgotten: showing it would confirm the address. A page
 * may have fewer events than its limit.
 */
function isFoundByForgottenAddress(actor: Actor, { actors }: HistoryFilter, vault: Vault): boolean {
  if (!actors || actor.kind !== 'operator' || actor.addressDigest === undefined) return false;
  if (openIfSealed(actor.address, vault) !== null) return false;
  const { addressDigest: _digest, ...others } = actor;
  return !actorLabels({ ...others, address: null }).some((label) => actors.includes(label));
}

/** Operators at an address: of events with the address in plain, and of those with its digest. */
export function actorFilters(actor: string, vault: Vault): string[] {
  const [, address] = /^operator:(.+)$/.exec(actor) ?? [];
  return address === undefined ? [actor] : [actor, sealedOperatorLabel(addressDigest(vault, address))];
}

/** @throws Refusal `validation_error` */
function parsePosition(text: string): Position {
  if (/^\d{1,15}$/.test(text)) return position(Number(text));
  return refuse('validation_error', { param: 'position', problem: 'must be a whole number' });
}

const entry = (
  { position, time, type, subject, actor, sentence }: HistoryEntry,
  people: People,
): z.infer<typeof Entry> => ({
  position,
  time: iso(time),
  type,
  subject,
  actor: eventActor(actor, people),
  sentence,
});

function detailsOf({ event, before, after }: EventStep, people: People): z.infer<typeof EventDetails> {
  const changed = changedStreamOf(event);
  return eventDetails(event, subjectState(changed, before), subjectState(changed, after), people);
}
