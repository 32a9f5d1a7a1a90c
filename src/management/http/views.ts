import { z } from 'zod';
import { type ApiKeyId, type Instant, type Position, position } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { windowsTime } from '../../domain/limits/windowsClock.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { EventStep, MomentQuery, Past } from '../../state/past/past.ts';
import type { ManagementContext } from './context.ts';
import { parseTime } from './isoTime.ts';

/** State as of one moment, with the clock of that moment. */
export interface View {
  readonly state: HotState;
  readonly now: Instant;
  /** The time of limit windows at that moment. */
  readonly windowsNow: Instant;
  /** What open requests have reserved in the limit window that contains `at`, in the unit of the rule's counter. */
  readonly reservedOn: (keyId: ApiKeyId, ruleId: number, at: Instant) => number;
}

/** State of this node that no event records. */
export interface UnrecordedState {
  readonly reservedOn: View['reservedOn'];
}

/** Read access to current and earlier state. */
export interface Views {
  /** The state after every event that this node has folded. */
  readonly current: HotState;
  /** The current state together with the state that no event records. */
  currentView(): View;
  /**
   * The state that the query parameter `at` names, or the current one without it. Earlier states have no reservations: no
   * event records these.
   * @throws Refusal `validation_error`
   */
  asOf(ctx: ManagementContext): Promise<View>;
  /** Returns an event with the state before and after it. @param position from 1 to `current.position` */
  eventStep(position: Position): Promise<EventStep>;
}

export interface ViewsOptions {
  readonly hot: Pick<HotRunner, 'state'>;
  readonly past: Past;
  readonly now: () => Instant;
  /** The time of limit windows; by default that of the hot state. */
  readonly windowsNow?: () => Instant;
  readonly unrecorded: UnrecordedState;
}

/** The query of every GET that can show earlier state. */
export const atQuery = {
  at: z
    .string()
    .optional()
    .describe('Show the state at this log position or ISO 8601 time instead of the current state'),
};

export function createViews({
  hot,
  past,
  now,
  windowsNow = () => windowsTime(hot.state.windowsClock, now()),
  unrecorded,
}: ViewsOptions): Views {
  const current = (): View => ({
    state: hot.state,
    now: now(),
    windowsNow: windowsNow(),
    reservedOn: unrecorded.reservedOn,
  });
  return {
    get current() {
      return hot.state;
    },
    currentView: current,
    async asOf(ctx) {
      const { at } = ctx.query;
      if (at === undefined) return current();
      const moment = await past.at(parseAt(at, hot.state.position, now()));
      return { ...moment, windowsNow: windowsTime(moment.state.windowsClock, moment.now), ...NOTHING_UNRECORDED };
    },
    eventStep: (position) => past.step(position),
  };
}

const NOTHING_UNRECORDED: UnrecordedState = { reservedOn: () => 0 };

function parseAt(at: string | readonly string[], lastPosition: Position, now: Instant): MomentQuery {
  if (typeof at !== 'string') return refuseAt('is given twice');
  if (/^\d+$/.test(at)) {
    const requested = position(Number(at));
    return requested <= lastPosition
      ? { position: requested }
      : refuseAt(`lies beyond the log, which ends at ${lastPosition}`);
  }
  const time = parseTime(at) ?? refuseAt('must be a position of the log or an ISO 8601 time');
  return time <= now ? { time } : refuseAt('lies in the future');
}

const refuseAt = (problem: string): never => refuse('validation_error', { param: 'at', problem });
