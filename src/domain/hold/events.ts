import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema } from '../core/schema.ts';
import { instantSchema } from '../core/schemas.ts';

/** What a hold is on: the events that match both the subject and the period. */
const holdScopeSchema = schema((z) =>
  z.object({
    /** A subject as History names it: `apiKey-<id>`, `account-<id>` or `request-<id>`; null: every subject. */
    subject: z.string().nullable(),
    /** Times of the events; null: not limited on that side. */
    from: instantSchema(z).nullable(),
    /** The period ends before this. */
    until: instantSchema(z).nullable(),
  }),
);
export type HoldScope = Infer<typeof holdScopeSchema>;

/** From here on nothing that matches is archived, and the data keys of matching accounts are not destroyed. */
export const HoldPlaced = event('HoldPlaced', {
  version: 1,
  data: (z) => holdScopeSchema(z).extend({ holdId: z.uuid(), reason: z.string() }),
  describe: ({ holdId, reason, ...scope }) => `legal hold ${holdId} was placed on ${shownScope(scope)}: ${reason}`,
});

/** The hold ended. What no other hold is on can be archived and destroyed again. */
export const HoldLifted = event('HoldLifted', {
  version: 1,
  data: (z) => z.object({ holdId: z.uuid(), reason: z.string() }),
  describe: ({ holdId, reason }) => `legal hold ${holdId} was lifted: ${reason}`,
});

export type HoldEvent = EventOf<typeof HoldPlaced | typeof HoldLifted>;

/** @returns the scope in words, for sentences and lines */
export function shownScope({ subject, from, until }: HoldScope): string {
  const time = (at: number) => new Date(at).toISOString();
  const period = [from !== null && `from ${time(from)}`, until !== null && `until ${time(until)}`].filter(Boolean);
  const what = subject === null ? 'everything' : `subject ${subject}`;
  return period.length === 0 ? what : `${what} ${period.join(' ')}`;
}
