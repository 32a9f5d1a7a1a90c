import { type EventOf, event } from '../core/event.ts';
import { instantSchema } from '../core/schemas.ts';

const shownTime = (at: number) => new Date(at).toISOString();

/** The clock of a node moved by more than a minute against the time that had passed, or differs that much at a start. */
export const ClockJumped = event('ClockJumped', {
  version: 1,
  data: (z) =>
    z.object({
      node: z.string(),
      /** What the clock should have shown. */
      from: instantSchema(z),
      /** What it showed. */
      to: instantSchema(z),
    }),
  describe: ({ node, from, to }) =>
    `the clock of node ${node} jumped ${to < from ? 'back' : 'ahead'} from ${shownTime(from)} to ${shownTime(to)}`,
});

/**
 * An operator accepted the clock of a node: the windows of limits follow it again, also back, and what was counted in later
 * windows counts in the current one (docs/decisions/0057-clock-of-limit-windows.md).
 */
export const ClockAccepted = event('ClockAccepted', {
  version: 1,
  data: (z) =>
    z.object({
      node: z.string(),
      /** The clock of the windows until then. */
      from: instantSchema(z),
      to: instantSchema(z),
    }),
  describe: ({ node, from, to }) =>
    `the clock of node ${node} was accepted: limits count from ${shownTime(to)} on, no longer from ${shownTime(from)}`,
});

export type ClockEvent = EventOf<typeof ClockAccepted>;
