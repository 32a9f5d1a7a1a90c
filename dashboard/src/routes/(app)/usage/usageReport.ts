import type { Schemas } from '#lib/api/client.ts';
import type { paths } from '#lib/api/openapi.d.ts';
import { transportText } from '../request-logs/logFilter.ts';
import type { Metric } from './metrics.ts';
import { type Column, type Grouping, type Span, startOfStep, type UsageQuery } from './usageQuery.ts';

export type Breakdown = paths['/api/usage/breakdown']['get']['responses'][200]['content']['application/json'];
export type Group = Breakdown['groups'][number];
export type Figures = Breakdown['total'];

/** Both periods of a query. */
export interface UsageReport {
  readonly asked: UsageQuery;
  readonly span: Span;
  readonly current: Breakdown;
  readonly before: Breakdown;
}

/** The group that the API makes of those beyond its bound; no filter selects it. */
export const isRest = ({ id, label }: Group): boolean => id === 'other' && label === 'Other';

const DELETED: Partial<Record<Grouping, string>> = {
  key: 'Deleted key',
  team: 'Deleted team',
  account: 'Deleted account',
};

/** The name of a group; the API names what was deleted by its id. */
export function groupName({ id, label }: Pick<Group, 'id' | 'label'>, by: Grouping): string {
  if (id === null) return label;
  if (by === 'transport') return transportText(id);
  const deleted = DELETED[by];
  return deleted && label === id && id !== 'other' ? `${deleted} ${id.slice(0, 8)}` : label;
}

const SHOWN = 7;

/** A group in the chart, or all others. */
export interface Part {
  /** Undefined for all others. */
  readonly group: Group | undefined;
  readonly name: string;
  readonly color: string;
  readonly values: readonly number[];
  readonly total: string;
}

/** The largest groups of a metric, largest first, then all others. */
export function partsOf({ current, asked }: Pick<UsageReport, 'current' | 'asked'>, { of, format }: Metric): Part[] {
  const { groups, series, total } = current;
  const largest = groups
    .filter((group) => of(group) > 0)
    .toSorted((a, b) => of(b) - of(a))
    .slice(0, SHOWN);
  const parts = largest.map((group, index) => ({
    group,
    name: groupName(group, asked.by),
    color: `var(--series-${index + 1})`,
    values: series.map((step) => {
      const sums = step.groups[group.id ?? ''];
      return sums ? of(sums) : 0;
    }),
    total: format(of(group)),
  }));
  const rest = of(total) - largest.reduce((sum, group) => sum + of(group), 0);
  if (groups.filter((group) => of(group) > 0).length <= largest.length) return parts;
  const values = series.map((step, index) =>
    // Of differences of fractions something may remain.
    Math.max(0, of(step.total) - parts.reduce((sum, part) => sum + (part.values[index] ?? 0), 0)),
  );
  return [...parts, { group: undefined, name: 'All others', color: 'var(--series-rest)', values, total: format(rest) }];
}

/** Starts of the steps, in ms since 1970; the first one may begin before the time range. */
export const startsOf = ({ current, span }: Pick<UsageReport, 'current' | 'span'>): number[] =>
  current.series.map(({ at }) => startOfStep(Date.parse(at), span.interval));

/** Share of the input tokens that the provider had in its cache, 0 to 100; null without input. */
export function cachedShare({ input_tokens: input, cached_input_tokens: cached }: Schemas['UsageSums']): number | null {
  return input === 0 ? null : (cached / input) * 100;
}

/** What a column sorts by; null, such as a latency of nothing, comes last. */
const KEYS: Readonly<Record<Exclude<Column, 'label'>, (group: Group) => number | null>> = {
  requests: ({ requests }) => requests,
  errors: ({ errors }) => errors,
  input: ({ input_tokens }) => input_tokens,
  cached: cachedShare,
  output: ({ output_tokens }) => output_tokens,
  cost: ({ cost_usd }) => cost_usd,
  first: ({ first_byte_ms }) => first_byte_ms?.p50 ?? null,
  p50: ({ latency_ms }) => latency_ms?.p50 ?? null,
  p95: ({ latency_ms }) => latency_ms?.p95 ?? null,
  speed: ({ tokens_per_second }) => tokens_per_second,
};

export function sortGroups(groups: readonly Group[], { by, sort, isAscending }: UsageQuery): Group[] {
  const sign = isAscending ? 1 : -1;
  if (sort === 'label') {
    const byName = (a: Group, b: Group) => groupName(a, by).localeCompare(groupName(b, by), 'en', { numeric: true });
    return groups.toSorted((a, b) => sign * byName(a, b));
  }
  const key = KEYS[sort];
  return groups.toSorted((a, b) => {
    const [one, other] = [key(a), key(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * (one - other) || b.requests - a.requests;
  });
}
