import { z } from 'zod';
import { type Instant, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { MAX_REASON_LENGTH, MAX_SUBJECT_LENGTH } from '../../domain/hold/decide.ts';
import type { Hold } from '../../domain/hold/state.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { RetainedKeys } from '../accounts/retainedKeys.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { parseTime } from '../http/isoTime.ts';
import { ADMINISTRATORS, READERS } from '../http/roles.ts';

const subject = z.string().max(MAX_SUBJECT_LENGTH).nullable();
const reason = z.string().max(MAX_REASON_LENGTH);
const time = z.string().nullable();

const PlaceHold = wireObject({
  subject: subject.default(null).describe('apiKey-<id>, account-<id> or request-<id>; null: every subject'),
  from: time.default(null).describe('ISO 8601: only events since then; null: from the first one on'),
  until: time.default(null).describe('ISO 8601: only events before then; null: also all later ones'),
  reason: reason.describe('Why, for the log'),
});
const LiftHold = wireObject({ reason: reason.describe('Why, for the log') });

const HoldEntry = z
  .object({
    id: z.string(),
    subject,
    from: z.iso.datetime().nullable(),
    until: z.iso.datetime().nullable(),
    reason: z.string(),
    placed_at: z.iso.datetime(),
    position: z.int().describe('Of the event in History, which names the actor'),
  })
  .meta({ id: 'Hold' });

const routes = {
  list: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'List the legal holds that last',
    response: z.object({
      holds: z.array(HoldEntry),
      retained_accounts: z
        .array(z.string())
        .describe('Accounts that are deleted and whose data keys exist until the last hold on them ends'),
    }),
  }),
  place: describeRoute({
    roles: ADMINISTRATORS,
    isIrreversible: true,
    summary: 'Place a legal hold: what matches subject and period is neither archived nor destroyed',
    body: PlaceHold,
    response: HoldEntry,
    errors: ['invalid_hold'],
  }),
  lift: describeRoute({
    roles: ADMINISTRATORS,
    isIrreversible: true,
    summary: 'Lift a legal hold, and destroy what no other hold keeps',
    body: LiftHold,
    response: z.object({
      status: z.literal('lifted'),
      released_accounts: z
        .array(z.string())
        .describe('Deleted accounts whose data keys it kept, and which are destroyed now'),
    }),
    errors: ['invalid_hold', 'hold_not_found'],
  }),
};

interface HoldOptions extends Pick<Capabilities, 'views' | 'commands' | 'ids'> {
  readonly retainedKeys: RetainedKeys;
}

/** Legal holds (docs/integrity.md#legal-holds). */
export const holdRoutes = ({ views, commands, ids, retainedKeys }: HoldOptions) =>
  newRouter('/api/holds')
    .get('/', routes.list, async (ctx) => {
      const { active, retained } = (await views.asOf(ctx)).state.holds;
      return { holds: [...active.values()].map(holdEntry), retained_accounts: [...retained.keys()] };
    })
    .post('/', routes.place, async (ctx) => {
      const { subject, from, until, reason } = await readBody(ctx, PlaceHold, 'invalid_hold');
      const holdId = ctx.state.cause.write?.resourceId ?? ids.newId();
      const period = { from: readTime('from', from), until: readTime('until', until) };
      const command = { type: 'PlaceHold', holdId, subject, ...period, reason } as const;
      const { state } = await commands.handle(subjects.hold, 'main', command, ctx.state.cause);
      // A repeated write may find that it was lifted since.
      return holdEntry(state.active.get(holdId) ?? refuse('hold_not_found', { holdId }));
    })
    .delete('/:id', routes.lift, async (ctx) => {
      const { reason } = await readBody(ctx, LiftHold, 'invalid_hold');
      const holdId = ctx.params.id ?? '';
      const before = [...views.current.holds.retained.keys()];
      await commands.handle(subjects.hold, 'main', { type: 'LiftHold', holdId, reason }, ctx.state.cause);
      const { retained } = views.current.holds;
      await retainedKeys.settled();
      return { status: 'lifted', released_accounts: before.filter((accountId) => !retained.has(accountId)) };
    })
    .routes();

/** @throws Refusal `invalid_hold` */
function readTime(param: string, text: string | null): Instant | null {
  if (text === null) return null;
  return parseTime(text) ?? refuse('invalid_hold', { param, problem: 'must be an ISO 8601 time' });
}

const isoOrNull = (at: Instant | null) => at && iso(at);

export const holdEntry = ({
  id,
  subject,
  from,
  until,
  reason,
  placedAt,
  position,
}: Hold): z.infer<typeof HoldEntry> => ({
  id,
  subject,
  from: isoOrNull(from),
  until: isoOrNull(until),
  reason,
  placed_at: iso(placedAt),
  position,
});
