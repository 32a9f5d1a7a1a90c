import { z } from 'zod';
import { sentenceOf, subjectOf } from '../../../projections/history.ts';
import { instant, iso, type Position, position } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { type KnownEvent, upcast } from '../../domain/eventTypes.ts';
import type { Actor } from '../../eventLog/eventLog.ts';
import type { HistoryEntry, HistoryFilter } from '../../readModels/historyQueries.ts';
import { REFRESH_STREAM_PREFIX } from '../../state/fold/refreshStreams.ts';
import type { Step } from '../../state/past/past.ts';
import type { Management } from '../app.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';
import { integer, many, one, time } from '../http/query.ts';
import { difference } from './history/difference.ts';
import { asJson, redact } from './history/redact.ts';
import { subjectState } from './history/subjectState.ts';

const ActorAnswer = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('operator'),
      session_id: z.string().nullable(),
      address: z.string(),
      user_agent: z.string().nullable(),
      used_totp: z.boolean(),
    }),
    z.object({ kind: z.literal('api_key'), api_key_id: z.string() }),
    z.object({ kind: z.literal('anonymous') }),
    z.object({ kind: z.literal('cli'), command: z.string(), user: z.string().nullable() }),
    z.object({ kind: z.literal('system'), reason: z.string() }),
  ])
  .meta({ id: 'Actor' });

const entryFields = {
  position: z.int(),
  time: z.iso.datetime(),
  type: z.string(),
  subject: z.string(),
  actor: ActorAnswer,
  sentence: z.string(),
};
const Entry = z.object(entryFields).meta({ id: 'HistoryEntry' });

const EventAnswer = z
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
    data: z.unknown().describe('As it was written, without secrets'),
    before: z.unknown().describe('The subject right before the event; null when there was none'),
    after: z.unknown().describe('The subject right after the event; null when there is none any more'),
    changes: z.array(z.object({ path: z.string().describe('JSON Pointer'), before: z.unknown(), after: z.unknown() })),
  })
  .meta({ id: 'HistoryEvent' });

/** Types can be many: a page that leaves out requests names all others. */
const MAX_TYPES = 100;
const MAX_VALUES = 20;
const values = (most: number) => z.array(z.string()).max(most).optional();
const moment = z.iso.datetime({ offset: true }).optional();

const list = documented({
  summary: 'Everything that happened, the latest first',
  query: {
    subject: values(MAX_VALUES).describe('e.g. account-<id>, apiKey-<id>, firewall-main, settings-main'),
    type: values(MAX_TYPES).describe('e.g. ApiKeyCreated'),
    actor: values(MAX_VALUES).describe(
      'operator, operator:<address>, session:<id>, apiKey:<id>, anonymous, cli, system',
    ),
    since: moment,
    until: moment,
    search: z.string().min(3).optional().describe('A part of the sentence; requests that went well are not searched'),
    limit: z.int().min(1).max(200).default(50),
    cursor: z.string().optional().describe('next_cursor of the page before'),
  },
  answer: z.object({ events: z.array(Entry), next_cursor: z.string().nullable() }),
  refuses: ['validation_error', 'read_models_unavailable'],
});

const show = documented({
  summary: 'One event whole, with what it changed',
  answer: EventAnswer,
  refuses: ['validation_error', 'not_found'],
});

export const historyRoutes = ({ hot, past, history }: Management) =>
  newRouter('/api/history')
    .get('/', list, async (ctx) => {
      const limit = integer(ctx, 'limit', { min: 1, max: 200, otherwise: 50 });
      const page = await history.page(filterOf(ctx), cursorOf(ctx), limit, hot.state.position);
      return { events: page.entries.map(entry), next_cursor: page.before === null ? null : cursor(page.before) };
    })
    .get('/:position', show, async (ctx) => {
      const at = positionOf(ctx.params.position ?? '');
      if (at === 0 || at > hot.state.position) refuse('not_found', { path: ctx.path });
      return whole(await past.step(at));
    })
    .routes();

function filterOf(ctx: ManagementContext): HistoryFilter {
  const search = one(ctx, 'search')?.trim() || undefined;
  // Trigrams: less than three characters would mean reading everything.
  if (search && [...search].length < 3) {
    refuse('validation_error', { param: 'search', problem: 'must have at least 3 characters' });
  }
  const conditions: { [Name in keyof HistoryFilter]: HistoryFilter[Name] | undefined } = {
    search,
    subjects: few(ctx, 'subject', MAX_VALUES),
    types: few(ctx, 'type', MAX_TYPES),
    actors: few(ctx, 'actor', MAX_VALUES),
    since: time(ctx, 'since'),
    until: time(ctx, 'until'),
  };
  return Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined));
}

function few(ctx: ManagementContext, name: string, most: number): string[] | undefined {
  const given = many(ctx, name);
  if (!given || given.length <= most) return given;
  return refuse('validation_error', { param: name, problem: `must be given at most ${most} times` });
}

const cursor = (before: Position) => Buffer.from(`before ${before}`).toString('base64url');

function cursorOf(ctx: ManagementContext): Position | null {
  const given = one(ctx, 'cursor');
  if (given === undefined) return null;
  const [, before] = /^before (\d{1,15})$/.exec(Buffer.from(given, 'base64url').toString()) ?? [];
  if (before !== undefined) return position(Number(before));
  return refuse('validation_error', { param: 'cursor', problem: 'must be a next_cursor that was answered before' });
}

function positionOf(text: string): Position {
  if (/^\d{1,15}$/.test(text)) return position(Number(text));
  return refuse('validation_error', { param: 'position', problem: 'must be a whole number' });
}

const entry = ({ position, time, type, subject, actor, sentence }: HistoryEntry) => ({
  position,
  time: iso(time),
  type,
  subject,
  actor: shownActor(actor),
  sentence,
});

function whole({ event, before, after }: Step) {
  const { metadata, stream, type } = event;
  const current = { type, data: upcast(type, metadata.schemaVersion, event.data) } as KnownEvent;
  const subject = subjectOf(stream, current);
  // A node's own stream holds results of refreshes of all accounts.
  const place = stream.startsWith(REFRESH_STREAM_PREFIX) ? subject : stream;
  const [was, is] = [subjectState(place, before), subjectState(place, after)];
  return {
    position: event.position,
    time: iso(instant(event.time)),
    type,
    subject,
    actor: shownActor(metadata.actor),
    sentence: sentenceOf(current),
    id: event.id,
    stream,
    revision: event.revision,
    schema_version: metadata.schemaVersion,
    correlation_id: metadata.correlationId,
    causation_id: metadata.causationId,
    node: metadata.node,
    hash: metadata.hash,
    previous_hash: metadata.previousHash,
    data: redact(asJson(event.data)),
    before: redact(was),
    after: redact(is),
    changes: difference(was, is),
  };
}

function shownActor(actor: Actor): z.infer<typeof ActorAnswer> {
  switch (actor.kind) {
    case 'operator': {
      const { kind, sessionId, address, userAgent, usedTotp } = actor;
      return { kind, session_id: sessionId, address, user_agent: userAgent, used_totp: usedTotp };
    }
    case 'apiKey':
      return { kind: 'api_key', api_key_id: actor.keyId };
    default:
      return actor;
  }
}
