import type { paths } from '#lib/api/openapi.d.ts';
import { effortText, type ListName, type LogFilter, optionText } from './logFilter.ts';

export type LogOptions = paths['/api/request-logs/options']['get']['responses']['200']['content']['application/json'];

/** One choice of a filter menu. */
export interface Facet {
  readonly value: string;
  readonly label: string;
  /** Number of matching requests; undefined when unknown. */
  readonly count: number | undefined;
}

/** Choices by filter, most frequent first. Always includes the chosen values. */
export type Facets = Readonly<Record<ListName, readonly Facet[]>>;

/**
 * Choices of the filter menus. For each list, the API ignores the filter on that list, so that more values can be chosen.
 * Models, efforts and their pairs are one list there, so each of these three menus applies the other two filters itself.
 * The API has no counts for a search.
 */
export function facetsOf(
  options: LogOptions | undefined,
  filter: LogFilter,
  accountName: (id: string) => string,
): Facets {
  const pairs = (options?.model_options ?? []).map(({ model, reasoning_effort }, index) => ({
    model,
    effort: reasoning_effort ?? '',
    pair: `${model}:::${reasoning_effort ?? ''}`,
    count: options?.counts.model_options[index] ?? 0,
  }));
  const isModel = anyOf(filter.model);
  const isEffort = anyOf(filter.reasoningEffort);
  const isPair = anyOf(filter.modelOption);
  const identity = (text: string) => text;
  const models = pairs.filter(({ effort, pair }) => isEffort(effort) && isPair(pair));
  const efforts = pairs.filter(({ model, pair }) => isModel(model) && isPair(pair));
  const both = pairs.filter(({ model, effort }) => isModel(model) && isEffort(effort));
  const listed = (sums: Sums, chosen: readonly string[], label: (value: string) => string) =>
    choices(sums, chosen, label, options !== undefined && filter.search === '');
  return {
    status: listed(Object.entries(options?.counts.statuses ?? {}), filter.status, identity),
    accountId: listed(Object.entries(options?.counts.account_ids ?? {}), filter.accountId, accountName),
    attemptedAccountId: listed(
      Object.entries(options?.counts.attempted_account_ids ?? {}),
      filter.attemptedAccountId,
      accountName,
    ),
    model: listed(summed(models, 'model'), filter.model, identity),
    reasoningEffort: listed(summed(efforts, 'effort'), filter.reasoningEffort, effortText),
    modelOption: listed(summed(both, 'pair'), filter.modelOption, optionText),
  };
}

type Sums = readonly (readonly [value: string, count: number])[];

const anyOf = (values: readonly string[]) => (value: string) => values.length === 0 || values.includes(value);

function summed<Name extends string>(pairs: readonly (Record<Name, string> & { count: number })[], by: Name): Sums {
  const sums = new Map<string, number>();
  for (const pair of pairs) sums.set(pair[by], (sums.get(pair[by]) ?? 0) + pair.count);
  return [...sums];
}

function choices(sums: Sums, chosen: readonly string[], label: (value: string) => string, isCounted: boolean): Facet[] {
  const counts = new Map(sums);
  const missing = chosen.filter((value) => !counts.has(value)).map((value) => [value, 0] as const);
  return [...missing, ...sums]
    .sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || label(a).localeCompare(label(b)))
    .map(([value, count]) => ({ value, label: label(value), count: isCounted ? count : undefined }));
}
