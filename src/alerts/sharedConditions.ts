import type { Instant } from '../domain/core/brands.ts';
import { usedAt } from '../domain/limits/counters.ts';
import { ceilingOf } from '../domain/limits/limitTypes.ts';
import { availabilityOf } from '../domain/routing/availability.ts';
import type { HotState } from '../state/fold/hotState.ts';
import { allLevels } from '../state/fold/limitLevels.ts';
import type { Condition } from './condition.ts';
import type { FailureRate } from './failureRate.ts';

export interface Thresholds {
  /** Percent of the accounts that are not paused. */
  readonly poolPercent: number;
  /** Percent of the requests of the last five minutes. */
  readonly errorPercent: number;
}

type State = Pick<HotState, 'accounts' | 'usage' | 'coolDowns' | 'apiKeys' | 'owners' | 'teams' | 'counters'>;

/** What is wrong with what all nodes share: one of them looks. @param windowsNow the clock of the windows of limits */
export function sharedConditions(
  state: State,
  rate: FailureRate,
  thresholds: Thresholds,
  { now, windowsNow }: { readonly now: Instant; readonly windowsNow: Instant },
): Condition[] {
  return [
    ...lostAccounts(state),
    ...lowPool(state, thresholds, now),
    ...usedLimits(state, windowsNow),
    ...failing(rate, thresholds, now),
  ];
}

function lostAccounts({ accounts }: State): Condition[] {
  return [...accounts.values()]
    .filter(({ status }) => status === 'deactivated')
    .map(({ id, deactivationReason }) => ({
      rule: 'account_lost',
      key: `account_lost account-${id}`,
      subject: `account-${id}`,
      node: null,
      text: `Account ${id} is deactivated and serves no requests: ${deactivationReason ?? 'the reason is not known'}. Sign in to it again, import it again, or delete it.`,
    }));
}

function lowPool({ accounts, usage, coolDowns }: State, { poolPercent }: Thresholds, now: Instant): Condition[] {
  const counts = { available: 0, 'with used-up limits': 0, deactivated: 0 };
  for (const account of accounts.values()) {
    const { state, reason } = availabilityOf(account, usage.get(account.id), coolDowns.get(account.id), now);
    if (state === 'paused') continue;
    // Other cool-downs last seconds.
    if (state === 'available' || (state === 'cooling' && reason !== 'usage_limit')) counts.available += 1;
    else counts[state === 'deactivated' ? state : 'with used-up limits'] += 1;
  }
  const { available, ...others } = counts;
  const total = available + others['with used-up limits'] + others.deactivated;
  if (total === 0 || available * 100 >= poolPercent * total) return [];
  const rest = Object.entries(others).filter(([, count]) => count > 0);
  const text = `${available} of ${total} accounts can serve, less than ${poolPercent} %: ${rest.map(([what, count]) => `${count} ${what}`).join(', ')}.`;
  return [{ rule: 'pool_low', key: 'pool_low', subject: null, node: null, text }];
}

const SUBJECTS = { key: 'apiKey', owner: 'owner', team: 'team' } as const;
const LABELS = { key: 'API key', owner: 'Owner', team: 'Team' } as const;

function usedLimits(state: State, windowsNow: Instant): Condition[] {
  const conditions: Condition[] = [];
  for (const { level, subject: id, holder, rules } of allLevels(state)) {
    const counters = rules.length > 0 ? state.counters.get(holder) : undefined;
    if (!counters) continue;
    for (const rule of rules) {
      const used = usedAt(counters, rule, windowsNow);
      const ceiling = ceilingOf(rule);
      if (used * 100 < 80 * ceiling) continue;
      const subject = `${SUBJECTS[level]}-${level === 'owner' ? encodeURIComponent(id) : id}`;
      const ofModel = rule.modelFilter === null ? '' : ` for ${rule.modelFilter}`;
      const limit = `its limit ${rule.id} (${rule.limitType}, ${rule.limitWindow}${ofModel})`;
      const about = { subject, node: null };
      const percent = Math.floor((used * 100) / ceiling);
      const names = { key: state.apiKeys.get(id as never)?.name, team: state.teams.get(id as never)?.name, owner: id };
      const who = `${LABELS[level]} ${names[level] ?? id}`;
      const text = `${who} has used ${percent} % of ${limit}.`;
      conditions.push({ rule: 'limit_80', key: `limit_80 ${subject} ${rule.id}`, ...about, text });
      if (used >= ceiling) {
        const reached = `${who} has used up ${limit}: its requests get 429 until the window ends.`;
        conditions.push({ rule: 'limit_100', key: `limit_100 ${subject} ${rule.id}`, ...about, text: reached });
      }
    }
  }
  return conditions;
}

function failing(rate: FailureRate, { errorPercent }: Thresholds, now: Instant): Condition[] {
  const { requests, failed } = rate.at(now);
  if (requests < MIN_REQUESTS || failed * 100 < errorPercent * requests) return [];
  const text = `${failed} of ${requests} requests of the last five minutes failed, ${errorPercent} % or more.`;
  return [{ rule: 'error_rate', key: 'error_rate', subject: null, node: null, text }];
}

/** Fewer may fail by chance. */
const MIN_REQUESTS = 20;
