import { type Grouping, UNBOUNDED } from '../../projections/figures.ts';
import { type GroupKey, keyOf } from './figureCounts.ts';
import type { BreakdownRequest } from './figuresQueries.ts';
import type { RequestLogFilter } from './requestLogQueries.ts';

/** The list of a filter that has the values of a grouping, where all of its groups have sums of their own. */
const OWN_LIST = {
  key: 'apiKeyIds',
  owner: 'owners',
  team: 'teams',
  account: 'accountIds',
  status: 'statuses',
  transport: 'transports',
} as const satisfies Partial<Record<Grouping, keyof RequestLogFilter>>;

/** @returns the only groups that a filter lets through; undefined: all; `rows`: the filter needs rows */
export function wantedGroups({ by, filter }: BreakdownRequest): ReadonlySet<GroupKey> | undefined | 'rows' {
  const lists = Object.entries(filter).filter(([, values]) => values !== undefined);
  if (lists.length === 0) return undefined;
  const own = by in OWN_LIST && !UNBOUNDED.has(by) ? OWN_LIST[by as keyof typeof OWN_LIST] : undefined;
  if (lists.length > 1 || lists[0]?.[0] !== own) return 'rows';
  return new Set((filter[own as 'apiKeyIds'] ?? []).map(keyOf));
}
