import { regionsOf } from '../../domain/apiKey/regionsOf.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { excludedPlans } from '../../domain/modelCatalogue/excludedPlans.ts';
import type { Attempt } from '../../domain/request/events.ts';
import { SELECT_VERSION, type SelectInput, type Selection, select, triedBy } from '../../domain/routing/select.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { AdmittedRequest } from './admittedRequest.ts';
import type { Cooldowns } from './cooldowns.ts';
import type { Accounts } from './ports.ts';

/** When a choice was made and on which pending state it depended: replay makes the same choice from it. */
export type Decision = Pick<Attempt, 'decidedAt' | 'asOf' | 'v' | 'overlay' | 'isRepeat'>;

/** Chooses the account of a request's next attempt from what this node knows now. */
export function choose(
  { hot, cooldowns, nextTurn }: Omit<Accounts, 'deactivate'>,
  { pin, requestId, key, model }: Pick<AdmittedRequest, 'pin' | 'requestId' | 'key' | 'model'>,
  attempts: readonly Pick<Attempt, 'accountId' | 'outcome'>[],
  now: Instant,
): { readonly selection: Selection; readonly decision: Decision } {
  const input: SelectInput = {
    accounts: hot.accounts,
    usage: hot.usage,
    settings: hot.settings,
    pinnedTo: pin?.resolvedTo ?? undefined,
    excludedPlans: excludedPlans(hot.models, model),
    regions: regionsOf(hot, key?.id ?? null),
    seed: pin?.digest ?? requestId,
    tried: triedBy(attempts),
    coolDowns: cooldowns,
    turn: nextTurn(),
    now,
  };
  const selection = select(input);
  const coolDowns = decisiveCoolDowns(input, selection, hot, cooldowns);
  const overlay: Decision['overlay'] =
    coolDowns === undefined ? selection.overlay : { ...selection.overlay, coolDowns };
  return { selection, decision: { decidedAt: hot.position, asOf: now, v: SELECT_VERSION, overlay } };
}

/** @returns the number of the last cool-down of this node if those that the log does not have yet affected the choice */
function decisiveCoolDowns(
  input: SelectInput,
  selection: Selection,
  hot: HotState,
  { lastPending }: Cooldowns,
): number | undefined {
  if (lastPending === undefined) return undefined;
  const withoutPending = select({ ...input, coolDowns: hot.coolDowns });
  return isSameChoice(selection, withoutPending) ? undefined : lastPending;
}

function isSameChoice(a: Selection, b: Selection): boolean {
  const isSame = a.kind === 'chosen' ? b.kind === 'chosen' && a.accountId === b.accountId : isSameRefusal(a, b);
  // Replay repeats the turn only if it was recorded.
  return isSame && a.overlay?.turn === b.overlay?.turn;
}

const isSameRefusal = (a: Extract<Selection, { kind: 'none' }>, b: Selection): boolean =>
  b.kind === 'none' && a.reason === b.reason && a.until === b.until;
