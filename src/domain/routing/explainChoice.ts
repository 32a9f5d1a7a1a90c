import type { AccountId, Instant } from '../core/brands.ts';
import { type Availability, availabilityOf } from './availability.ts';
import { compareRanks, type Rank, rankOf, tieOf } from './rank.ts';
import { isInRegion, plansToSkip, type SelectInput, type Selection, select } from './select.ts';

/** What kept an account out of a choice. */
export type Exclusion =
  | Exclude<Availability['state'], 'available'>
  | 'other_region'
  | 'plan_lacks_model'
  | 'already_tried';

/** An account that existed when a choice was made. */
export interface Candidate {
  readonly accountId: AccountId;
  readonly planType: string;
  /** Undefined: it could be chosen. */
  readonly exclusion: Exclusion | undefined;
  /** Why, in words, as far as there is more to say than the exclusion. */
  readonly detail: string | null;
  /** When the exclusion ends by itself, if it does. */
  readonly until: Instant | null;
  /** The order of preference among those that could be chosen, from 1. */
  readonly place: number | undefined;
  /** The figures of that order; undefined while accounts take turns, and for accounts that could not be chosen. */
  readonly rank: Rank | undefined;
  /** The number that decided between equal ranks, the lowest first; undefined when nothing was equal. */
  readonly tie: number | undefined;
}

/** How an account was chosen, or why none was. */
export interface ChoiceExplained {
  readonly selection: Selection;
  /** `pin`: the account of the conversation; `only`: no other could be chosen; else the strategy. */
  readonly by: 'pin' | 'only' | 'usage_weighted' | 'round_robin' | 'none';
  readonly candidates: readonly Candidate[];
}

/**
 * Explains a choice by the functions that make it: for each account why it could be chosen or not, and how the others were
 * ordered. The account in the first place is the chosen one, but for a pin.
 */
export function explainChoice(input: SelectInput): ChoiceExplained {
  const selection = select(input);
  const skipped = plansToSkip(input);
  const candidates = [...input.accounts.values()].map((account): Candidate => {
    const { id: accountId, planType } = account;
    const usage = input.usage.get(accountId);
    const { state, reason, until } = availabilityOf(account, usage, input.coolDowns.get(accountId), input.now);
    const base = { accountId, planType, place: undefined, rank: undefined, tie: undefined };
    if (!isInRegion(account, input.regions)) {
      const detail = account.region === undefined ? 'no region' : `region ${account.region}`;
      return { ...base, exclusion: 'other_region', detail, until: null };
    }
    if (skipped.has(planType)) {
      return { ...base, exclusion: 'plan_lacks_model', detail: `plan ${planType}`, until: null };
    }
    if (state !== 'available' && (state !== 'cooling' || !input.tried.has(accountId))) {
      return { ...base, exclusion: state, detail: reason, until };
    }
    if (input.tried.has(accountId)) return { ...base, exclusion: 'already_tried', detail: null, until: null };
    return { ...base, exclusion: undefined, detail: null, until: null };
  });
  const eligible = candidates.filter(({ exclusion }) => exclusion === undefined);
  const ordered = input.settings.routingStrategy === 'round_robin' ? byTurn(input, eligible) : byRank(input, eligible);
  const places = new Map(ordered.map((candidate, index) => [candidate.accountId, { ...candidate, place: index + 1 }]));
  return {
    selection,
    by: reasonOf(input, selection, eligible.length),
    candidates: candidates.map((candidate) => places.get(candidate.accountId) ?? candidate),
  };
}

function reasonOf({ settings, pinnedTo }: SelectInput, selection: Selection, eligible: number): ChoiceExplained['by'] {
  if (selection.kind === 'none') return 'none';
  if (selection.accountId === pinnedTo && !selection.isFallback) return 'pin';
  return eligible === 1 ? 'only' : settings.routingStrategy;
}

/** The account whose turn it is, then those after it. */
function byTurn({ turn }: SelectInput, eligible: readonly Candidate[]): Candidate[] {
  const first = eligible.length === 0 ? 0 : turn % eligible.length;
  return [...eligible.slice(first), ...eligible.slice(0, first)];
}

function byRank(input: SelectInput, eligible: readonly Candidate[]): Candidate[] {
  const ranked = eligible.map((candidate) => {
    const rank = rankOf(input, candidate.accountId);
    return { ...candidate, rank, tie: tieOf(input.seed, candidate.accountId) };
  });
  const isAlone = ({ accountId, rank }: (typeof ranked)[number]) =>
    ranked.every((other) => other.accountId === accountId || compareRanks(rank, other.rank) !== 0);
  return ranked
    .toSorted((a, b) => compareRanks(a.rank, b.rank) || a.tie - b.tie)
    .map((candidate) => (isAlone(candidate) ? { ...candidate, tie: undefined } : candidate));
}
