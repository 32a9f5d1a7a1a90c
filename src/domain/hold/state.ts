import type { AccountId, Instant, Position } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { HoldEvent, HoldScope } from './events.ts';
import { isHeld } from './isHeld.ts';

/** A hold that lasts. */
export interface Hold extends HoldScope {
  readonly id: string;
  readonly reason: string;
  readonly placedAt: Instant;
  /** Of its `HoldPlaced`, which names the actor. */
  readonly position: Position;
}

/** When an account that is deleted had existed. */
interface Lifetime {
  readonly from: Instant;
  readonly until: Instant;
}

export interface HoldState {
  readonly active: ReadonlyMap<string, Hold>;
  /** Accounts that were deleted under a hold which still lasts: their data keys exist until the last such hold ends. */
  readonly retained: ReadonlyMap<AccountId, Lifetime>;
}

export const initialState: HoldState = { active: new Map(), retained: new Map() };

export function evolve(state: HoldState, { type, data, time, position }: Recorded<HoldEvent>): HoldState {
  const active = new Map(state.active);
  if (type === 'HoldPlaced') {
    const { holdId: id, subject, from, until, reason } = data;
    active.set(id, { id, subject, from, until, reason, placedAt: time, position });
    return { ...state, active };
  }
  active.delete(data.holdId);
  const holds = [...active.values()];
  const stillHeld = [...state.retained].filter(([id, lifetime]) => isHeld(holds, accountLifetime(id, lifetime)));
  return { active, retained: new Map(stillHeld) };
}

/** What a hold must match to keep the data of an account. */
export const accountLifetime = (id: AccountId, { from, until }: Lifetime) => ({
  from,
  // Its last event belongs to it.
  until: (until + 1) as Instant,
  subjects: new Set([`account-${id}`]),
});

/** The state after an account was deleted that had existed since `from`. */
export function retainIfHeld(state: HoldState, id: AccountId, from: Instant, until: Instant): HoldState {
  // It was deleted before, under a hold that still lasts, and imported again.
  const earlier = state.retained.get(id);
  const lifetime = { from: earlier && earlier.from < from ? earlier.from : from, until };
  if (!isHeld(state.active.values(), accountLifetime(id, lifetime))) return state;
  return { ...state, retained: new Map(state.retained).set(id, lifetime) };
}
