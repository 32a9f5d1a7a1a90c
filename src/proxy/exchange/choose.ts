import type { Instant } from '../../domain/core/brands.ts';
import { excludedPlans } from '../../domain/modelCatalogue/excludedPlans.ts';
import type { Attempt } from '../../domain/request/events.ts';
import { SELECT_VERSION, type Selection, select, triedBy } from '../../domain/routing/select.ts';
import type { AdmittedRequest } from './admittedRequest.ts';
import type { Accounts } from './ports.ts';

/** When a choice was made and on which pending state it depended: replay makes the same choice from it. */
export type Decision = Pick<Attempt, 'decidedAt' | 'asOf' | 'v' | 'overlay' | 'isRepeat'>;

/** Chooses the account of a request's next attempt from what this node knows now. */
export function choose(
  { hot, cooldowns, pendingPin, nextTurn }: Omit<Accounts, 'deactivate'>,
  { pin, requestId, model }: Pick<AdmittedRequest, 'pin' | 'requestId' | 'model'>,
  attempts: readonly Attempt[],
  now: Instant,
): { readonly selection: Selection; readonly decision: Decision } {
  const pending = pin === undefined ? undefined : pendingPin?.(pin);
  const selection = select({
    accounts: hot.accounts,
    usage: hot.usage,
    settings: hot.settings,
    pinnedTo: pin === undefined ? undefined : (pending ?? hot.pins.get(pin, hot.position)),
    excludedPlans: excludedPlans(hot.models, model),
    seed: pin ?? requestId,
    tried: triedBy(attempts),
    cooling: cooldowns.current,
    turn: nextTurn(),
    now,
  });
  const overlay = pending === undefined ? selection.overlay : { ...selection.overlay, pinnedTo: pending };
  return { selection, decision: { decidedAt: hot.position, asOf: now, v: SELECT_VERSION, overlay } };
}
