import { z } from 'zod';
import { iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { BlameEvents } from '../../replay/blame/blameEvents.ts';
import { EventActor } from '../http/actor.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { READERS } from '../http/roles.ts';
import { blame, blamedKinds, type FieldSource } from './blame.ts';
import { findSubject, type SubjectName, UnknownSubject } from './findSubject.ts';

const source = z
  .enum([
    'event',
    'usage',
    'tokens',
    'requests',
    'open_requests',
    'clock',
    'api_keys',
    'operators',
  ] satisfies FieldSource[])
  .describe('event: set by an event of the resource itself; any other: it follows from those');

const Blame = z
  .object({
    subject: z.string().describe('As in the history'),
    position: z.int(),
    time: z.iso.datetime(),
    fields: z.array(
      z
        .object({
          path: z.string().describe('JSON Pointer into the resource; items of a list go by their id'),
          value: z.unknown(),
          is_forgotten: z.boolean().describe('It had a value that was forgotten: then `position` is null'),
          source,
          position: z.int().nullable().describe('Of the event; null: the default, or no single event set it'),
          time: z.iso.datetime().nullable(),
          type: z.string().nullable(),
          actor: EventActor.nullable(),
          sentence: z.string().nullable(),
        })
        .meta({ id: 'BlamedField' }),
    ),
  })
  .meta({ id: 'Blame' });

const routes = {
  get: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'Get the fields of a resource, each with the event that set it last, its actor and its time',
    response: Blame,
    errors: ['not_found', 'archived'],
  }),
};

interface BlameOptions extends Pick<Capabilities, 'views' | 'vault'> {
  readonly blameEvents: BlameEvents;
}

/** Which event set each field of a resource, by its name in the history. */
export const blameRoutes = ({ views, vault, blameEvents }: BlameOptions) =>
  newRouter('/api/blame')
    .get('/:subject', routes.get, async (ctx) => {
      const view = await views.asOf(ctx);
      // The current state goes on while events are read.
      const { position } = view.state;
      const now = iso(view.now);
      const found = find(ctx.params.subject ?? '', view.state) ?? refuse('not_found', { path: ctx.path });
      const fields = await blame(found, view, vault, blameEvents);
      return { subject: found.name, position, time: now, fields: fields ?? refuse('not_found', { path: ctx.path }) };
    })
    .routes();

/** @returns undefined when there is no such resource, or nothing to blame for its kind */
function find(text: string, state: Parameters<typeof findSubject>[1][number]): SubjectName | undefined {
  try {
    const found = findSubject(text, [state]);
    return found.kind && blamedKinds.includes(found.kind.kind) ? found : undefined;
  } catch (error) {
    if (error instanceof UnknownSubject) return undefined;
    throw error;
  }
}
