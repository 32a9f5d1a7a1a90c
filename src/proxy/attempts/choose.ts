import type { Instant } from '../../domain/brands.ts';
import type { Attempt } from '../../domain/request/events.ts';
import { SELECT_VERSION, type Selection, select, triedBy } from '../../domain/routing/select.ts';
import type { AdmittedRequest } from './admittedRequest.ts';
import type { ExchangeServices } from './engine.ts';

/** Where and when a choice was made and what of the overlay it hung on: with it, replay makes the same choice. */
export type Decision = Pick<Attempt, 'decidedAt' | 'asOf' | 'v' | 'overlay' | 'isRepeat'>;

/** Chooses the account of a request's next attempt from what this node knows now. */
export function choose(
  { hot, cooldowns, nextTurn }: Pick<ExchangeServices, 'hot' | 'cooldowns' | 'nextTurn'>,
  { pin, requestId }: Pick<AdmittedRequest, 'pin' | 'requestId'>,
  attempts: readonly Attempt[],
  now: Instant,
): { readonly selection: Selection; readonly decision: Decision } {
  const selection = select({
    accounts: hot.accounts,
    usage: hot.usage,
    settings: hot.settings,
    pinnedTo: pin === undefined ? undefined : hot.pins.get(pin, hot.position),
    seed: pin ?? requestId,
    tried: triedBy(attempts),
    cooling: cooldowns.current,
    turn: nextTurn(),
    now,
  });
  return { selection, decision: { decidedAt: hot.position, asOf: now, v: SELECT_VERSION, overlay: selection.overlay } };
}
