import type { Context, Decider } from '../core/decider.ts';
import type { Recorded } from '../core/event.ts';
import { acceptedAt, initialState, type WindowsClock } from '../limits/windowsClock.ts';
import { ClockAccepted, type ClockEvent } from './events.ts';

export interface AcceptClock {
  readonly type: 'AcceptClock';
  /** The node whose clock is accepted. */
  readonly node: string;
  /** Whether the windows follow another clock than that of the node, although that is not behind them. */
  readonly isHeld?: boolean;
}

/** Nothing happens while the windows follow the clock of the node anyway. */
export const decide = (
  { node, isHeld = false }: AcceptClock,
  { time: from }: WindowsClock,
  { now }: Context,
): ClockEvent[] => (isHeld || from > now ? [ClockAccepted({ node, from, to: now })] : []);

const evolve = (_clock: WindowsClock, { data, position }: Recorded<ClockEvent>): WindowsClock =>
  acceptedAt(data.to, position);

/** The clock of the windows of limits. */
export const windowsClock: Decider<WindowsClock, AcceptClock, ClockEvent> = { decide, evolve, initialState };
