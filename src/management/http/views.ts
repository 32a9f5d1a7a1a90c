import { type Stretch, stretchesUpTo } from '../../domain/clock/stretches.ts';
import { type Instant, type Position, position } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { windowsTime } from '../../domain/limits/windowsClock.ts';
import type { UpTo } from '../../readModels/upTo.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import { type EventStep, MomentArchived, type MomentQuery, type Past } from '../../state/past/past.ts';
import type { ManagementContext } from './context.ts';
import { parseTime } from './isoTime.ts';
import { queryText } from './query.ts';

/** State as of one moment, with the clock of that moment: all that figures are made of, so that `?at=` gives them again. */
export interface View {
  readonly state: HotState;
  readonly now: Instant;
  /** The time of limit windows at that moment. */
  readonly windowsNow: Instant;
  /** What queries of read models include, so that they fit the state. */
  readonly upTo: UpTo;
}

/** Read access to current and earlier state. */
export interface Views {
  /** The state after every event that this node has folded. */
  readonly current: HotState;
  /** The current state with the clock of this node. */
  currentView(): View;
  /**
   * The state that the query parameter `at` names, or the current one without it.
   * @throws Refusal `validation_error`
   */
  asOf(ctx: ManagementContext): Promise<View>;
  /**
   * As `asOf`, for an answer that consists of sums of read models.
   * @throws Refusal `archived` when an archived day has later events than the moment
   */
  sumsAsOf(ctx: ManagementContext): Promise<View>;
  /** The parts of the log between jumps of clocks, as they were known at a state. */
  stretchesOf(state: HotState): readonly Stretch[];
  /** Returns an event with the state before and after it. @param position from 1 to `current.position` */
  eventStep(position: Position): Promise<EventStep>;
}

export interface ViewsOptions {
  readonly hot: Pick<HotRunner, 'state' | 'checkpoints'>;
  readonly past: Past;
  readonly now: () => Instant;
  /** The time of limit windows; by default that of the hot state. */
  readonly windowsNow?: () => Instant;
}

export function createViews({
  hot,
  past,
  now,
  windowsNow = () => windowsTime(hot.state.windowsClock, now()),
}: ViewsOptions): Views {
  const asOf = async (ctx: ManagementContext): Promise<View> => {
    const at = queryText(ctx, 'at');
    if (at === undefined) return current();
    const moment = await past.at(parseAt(at, hot.state.position, now())).catch(refuseArchived);
    const { state } = moment;
    return {
      ...moment,
      windowsNow: windowsTime(state.windowsClock, moment.now),
      upTo: { exactly: state.position },
    };
  };
  const current = (): View => ({
    state: hot.state,
    now: now(),
    windowsNow: windowsNow(),
    upTo: hot.state.position,
  });
  return {
    get current() {
      return hot.state;
    },
    currentView: current,
    asOf,
    async sumsAsOf(ctx) {
      const view = await asOf(ctx);
      try {
        if (typeof view.upTo !== 'number') past.requireSums(view.upTo.exactly);
      } catch (error) {
        refuseArchived(error);
      }
      return view;
    },
    stretchesOf: ({ position: upTo }) => stretchesUpTo(hot.checkpoints.stretches, upTo),
    eventStep: (position) => past.step(position).catch(refuseArchived),
  };
}

function parseAt(at: string, lastPosition: Position, now: Instant): MomentQuery {
  if (/^\d+$/.test(at)) {
    const requested = position(Number(at));
    return requested <= lastPosition
      ? { position: requested }
      : refuseAt(`lies beyond the log, which ends at ${lastPosition}`);
  }
  const time = parseTime(at) ?? refuseAt('must be a position of the log or an ISO 8601 time');
  return time <= now ? { time } : refuseAt('lies in the future');
}

/** @throws Refusal `archived` for a moment whose events have no rows */
export function refuseArchived(error: unknown): never {
  if (!(error instanceof MomentArchived)) throw error;
  return refuse('archived', { position: error.position, day: error.day, file: error.file });
}

const refuseAt = (problem: string): never => refuse('validation_error', { param: 'at', problem });
