import type { Account } from '../account/state.ts';
import type { AccountUsage } from '../accountUsage/state.ts';
import type { CoolDowns } from '../coolDown/state.ts';
import type { AccountId, Instant } from '../core/brands.ts';
import type { Attempt } from '../request/events.ts';
import type { Settings } from '../settings/events.ts';
import { availabilityOf } from './availability.ts';
import { compareRanks, type Rank, rankOf, tieOf } from './rank.ts';

/** Must be raised with every change of `select` that could change a result; recorded with each attempt. */
export const SELECT_VERSION = 4;

/** The version since which accounts whose plan is not offered the model are skipped. */
export const PLANS_SINCE_VERSION = 2;

/** The version since which cool-downs are folded; earlier choices recorded all of them. */
export const FOLDED_COOL_DOWNS_SINCE_VERSION = 3;

/** The version since which a key can be restricted to regions. */
export const REGIONS_SINCE_VERSION = 4;

export interface SelectInput {
  /** From the hot state. */
  readonly accounts: ReadonlyMap<AccountId, Account>;
  readonly usage: ReadonlyMap<AccountId, AccountUsage>;
  readonly settings: Pick<Settings, 'routingStrategy' | 'preferEarlierResetAccounts'>;
  /** The account that this conversation is pinned to, if any. */
  readonly pinnedTo: AccountId | undefined;
  /** Plans that are not offered the model. */
  readonly excludedPlans: ReadonlySet<string>;
  /** The regions in which the request may be served, in lower case; undefined: all. */
  readonly regions: readonly string[] | undefined;
  /** Breaks ties: the pin's digest, so that a conversation's parallel requests agree, else the request id. */
  readonly seed: string;
  /** Accounts that have failed this request and must not be tried again. */
  readonly tried: ReadonlySet<AccountId>;
  /** Those of the log, and the node's own that the log does not have yet. */
  readonly coolDowns: CoolDowns;
  /** The round-robin counter of the node. */
  readonly turn: number;
  readonly now: Instant;
}

/** The part of what the node knew beyond the log that affected the result. */
export type DecisiveOverlay = Pick<NonNullable<Attempt['overlay']>, 'turn'>;

export type Selection =
  | {
      readonly kind: 'chosen';
      readonly accountId: AccountId;
      /** The pinned account was temporarily unavailable: the pin stays unchanged. */
      readonly isFallback: boolean;
      readonly overlay: DecisiveOverlay | undefined;
    }
  | {
      readonly kind: 'none';
      /**
       * `empty`: no account can serve, now or later; `exhausted`: all are used up until `until`; `cooling`: the first
       * cool-down ends at `until`; `tried`: all available accounts have failed this request; `no_region`: no account is in a region
       * in which it may be served.
       */
      readonly reason: 'empty' | 'exhausted' | 'cooling' | 'tried' | 'no_region';
      readonly until: Instant | null;
      readonly overlay: DecisiveOverlay | undefined;
    };

const NONE: ReadonlySet<never> = new Set();

/** Accounts that a request must not try again; throttled ones may be tried after their cool-down. */
export function triedBy(attempts: readonly Pick<Attempt, 'accountId' | 'outcome'>[]): ReadonlySet<AccountId> {
  if (attempts.length === 0) return NONE;
  return new Set(attempts.filter(({ outcome }) => outcome !== 'throttled').map(({ accountId }) => accountId));
}

/** Chooses the account for one attempt. Pure: the same input gives the same account, or the same refusal. */
export function select(input: SelectInput): Selection {
  const pinned = input.pinnedTo === undefined ? undefined : input.accounts.get(input.pinnedTo);
  const pinnedState = pinned && stateOf(input, pinned);
  const without = plansToSkip(input);
  const isExcluded = (account: Account) => without.has(account.planType) || !isInRegion(account, input.regions);
  if (pinned && pinnedState === 'available' && !input.tried.has(pinned.id) && !isExcluded(pinned)) {
    return { kind: 'chosen', accountId: pinned.id, isFallback: false, overlay: undefined };
  }
  const candidates: Account[] = [];
  let hasTried = false;
  let coolingUntil: Instant | null = null;
  let exhaustedUntil: Instant | null = null;
  for (const account of input.accounts.values()) {
    if (isExcluded(account)) continue;
    const { state, until } = availabilityOf(
      account,
      input.usage.get(account.id),
      input.coolDowns.get(account.id),
      input.now,
    );
    if (input.tried.has(account.id) && (state === 'available' || state === 'cooling')) {
      hasTried = true;
      continue;
    }
    if (state === 'available') candidates.push(account);
    if (state === 'cooling') coolingUntil = earliest(coolingUntil, until);
    if (state === 'rate_limited' || state === 'quota_exceeded') exhaustedUntil = earliest(exhaustedUntil, until);
  }
  const isRoundRobin = input.settings.routingStrategy === 'round_robin';
  const overlay = isRoundRobin && candidates.length > 1 ? { turn: input.turn } : undefined;
  const chosen = isRoundRobin ? candidates[input.turn % candidates.length] : leastUsed(input, candidates);
  if (chosen) {
    // A pin to a paused, deactivated or deleted account moves; otherwise the pinned account will serve again later.
    const isFallback = pinnedState !== undefined && pinnedState !== 'paused' && pinnedState !== 'deactivated';
    return { kind: 'chosen', accountId: chosen.id, isFallback, overlay };
  }
  if (coolingUntil !== null) return { kind: 'none', reason: 'cooling', until: coolingUntil, overlay };
  if (hasTried) return { kind: 'none', reason: 'tried', until: null, overlay };
  if (exhaustedUntil !== null) return { kind: 'none', reason: 'exhausted', until: exhaustedUntil, overlay };
  const { accounts, regions } = input;
  const isElsewhere = regions !== undefined && !accounts.values().some((account) => isInRegion(account, regions));
  return { kind: 'none', reason: isElsewhere ? 'no_region' : 'empty', until: null, overlay };
}

/** Whether an account may serve a request. One whose region is not known is in none. */
export const isInRegion = ({ region }: Pick<Account, 'region'>, regions: readonly string[] | undefined): boolean =>
  regions === undefined || (region !== undefined && regions.includes(region.toLowerCase()));

/** The excluded plans, unless that leaves no account: then every account may be tried. */
export function plansToSkip({
  accounts,
  excludedPlans,
  regions,
}: Pick<SelectInput, 'accounts' | 'excludedPlans' | 'regions'>): ReadonlySet<string> {
  if (excludedPlans.size === 0) return excludedPlans;
  for (const account of accounts.values()) {
    const { status, planType } = account;
    if (status !== 'deactivated' && !excludedPlans.has(planType) && isInRegion(account, regions)) return excludedPlans;
  }
  return NONE;
}

const stateOf = (input: SelectInput, account: Account) =>
  availabilityOf(account, input.usage.get(account.id), input.coolDowns.get(account.id), input.now).state;

const earliest = (a: Instant | null, b: Instant | null): Instant | null =>
  a === null || b === null ? (a ?? b) : b < a ? b : a;

/** `usage_weighted`: the least used long window wins, then the short one; ties spread by hash. */
function leastUsed(input: SelectInput, candidates: readonly Account[]): Account | undefined {
  let best: Account | undefined;
  let bestRank: Rank | undefined;
  let bestTie = 0;
  for (const account of candidates) {
    const rank = rankOf(input, account.id);
    const order = bestRank ? compareRanks(rank, bestRank) : -1;
    if (order > 0) continue;
    // Hashing costs more than ranking, so only equal ranks are hashed.
    const tie = candidates.length > 1 ? tieOf(input.seed, account.id) : 0;
    if (order === 0 && tie >= bestTie) continue;
    best = account;
    bestRank = rank;
    bestTie = tie;
  }
  return best;
}
