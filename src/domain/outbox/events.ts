import { type EventOf, event } from '../core/event.ts';

/**
 * Stands in a stream at the revision of an event that the event store will never take, which is kept in the outbox of its
 * node (`svc outbox`). The next event of the stream continues the chain of that event, so `hash` is its hash
 * (docs/decisions/0006-chain-rule.md).
 */
export const EventParked = event('EventParked', {
  version: 1,
  data: (z) =>
    z.object({
      eventId: z.string(),
      eventType: z.string(),
      /** 64 hex digits: proves that an event which is presented later is the one that stood here. */
      hash: z.string(),
      /** Of its data and metadata. */
      bytes: z.int().min(0),
      /** Why the store does not take it. */
      reason: z.string(),
    }),
  describe: ({ eventId, eventType, bytes, reason }) =>
    `${eventType} ${eventId} of ${bytes} bytes is parked in the outbox of its node: ${reason}`,
});

export type EventParkedEvent = EventOf<typeof EventParked>;
