import type { paths } from '#lib/api/openapi.d.ts';
import { type FilterNames, type ListName, type LogFilter, valueText } from './logFilter.ts';

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
export function facetsOf(options: LogOptions | undefined, filter: LogFilter, names: FilterNames): Facets {
  const pairs = (options?.model_options ?? []).map(({ model, reasoning_effort }, index) => ({
    model,
    effort: reasoning_effort ?? '',
    pair: `${model}:::${reasoning_effort ?? ''}`,
    count: options?.counts.model_options[index] ?? 0,
  }));
  const isModel = anyOf(filter.model);
  const isEffort = anyOf(filter.reasoningEffort);
  const isPair = anyOf(filter.modelOption);
  const models = pairs.filter(({ effort, pair }) => isEffort(effort) && isPair(pair));
  const efforts = pairs.filter(({ model, pair }) => isModel(model) && isPair(pair));
  const both = pairs.filter(({ model, effort }) => isModel(model) && isEffort(effort));
  const isCounted = options !== undefined && filter.search === '';
  const listed = (name: ListName, sums: Sums | undefined) =>
    choices(sums ?? [], filter[name], (value) => valueText(name, value, names), isCounted);
  const counts = options?.counts;
  return {
    status: listed('status', entriesOf(counts?.statuses)),
    accountId: listed('accountId', entriesOf(counts?.account_ids)),
    attemptedAccountId: listed('attemptedAccountId', entriesOf(counts?.attempted_account_ids)),
    model: listed('model', summed(models, 'model')),
    reasoningEffort: listed('reasoningEffort', summed(efforts, 'effort')),
    modelOption: listed('modelOption', summed(both, 'pair')),
    apiKeyId: listed('apiKeyId', entriesOf(counts?.api_key_ids)),
    owner: listed('owner', entriesOf(counts?.owners)),
    team: listed('team', entriesOf(counts?.teams)),
    errorCode: listed('errorCode', entriesOf(counts?.error_codes)),
    // The API lists no values of these.
    client: listed('client', []),
    transport: listed('transport', TRANSPORTS),
  };
}

/** Values with the number of their requests, if that is known. */
type Sums = readonly (readonly [value: string, count: number | undefined])[];

const TRANSPORTS: Sums = [
  ['http', undefined],
  ['websocket', undefined],
  ['import:codex-lb', undefined],
];

const entriesOf = (counts: Readonly<Record<string, number>> | undefined): Sums => Object.entries(counts ?? {});

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
    .sort(([a, countOfA = 0], [b, countOfB = 0]) => countOfB - countOfA || label(a).localeCompare(label(b)))
    .map(([value, count]) => ({ value, label: label(value), count: isCounted ? count : undefined }));
}
