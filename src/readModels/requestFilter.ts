import { OTHER } from '../../projections/figures.ts';
import type { RequestKind } from '../../projections/requestLog.ts';
import { type Instant, instant } from '../domain/core/brands.ts';
import { MAX_INSTANT } from './periodRanges.ts';
import type { ModelOption, RequestLogFilter, RequestLogOptions } from './requestLogQueries.ts';

export type Condition = (kind: RequestKind) => boolean;

/** The time range of a filter; `to` is exclusive. */
export const timeRangeOf = ({ since, until }: RequestLogFilter): { from: Instant; to: Instant } => ({
  from: instant(Math.max(0, since ?? 0)),
  to: instant(Math.min(MAX_INSTANT, until === undefined ? MAX_INSTANT : until + 1)),
});

/** The options that are counted by kind. */
export type KindOptions = Pick<RequestLogOptions, 'accountIds' | 'attemptedAccountIds' | 'statuses' | 'modelOptions'>;

/** The conditions of a filter. A request matches by its kind, or by an account that it tried before its own. */
export interface KindPredicate {
  /** Requests of these kinds match. */
  readonly matches: Condition;
  /** Requests of further kinds match if one of the other accounts that they tried is wanted. */
  readonly attempted?: { readonly accountIds: ReadonlySet<string>; readonly matches: Condition };
}

/**
 * @param isBeyond kinds that are called `other` match too, as requests of them may have a name that is wanted
 * @returns undefined when the filter has no condition on the kind of a request and its accounts
 */
export function kindPredicate(filter: RequestLogFilter, isBeyond = false): KindPredicate | undefined {
  const { account, status, model } = conditionsOf(isBeyond ? withOther(filter) : filter);
  const conditions = [...account, ...status, ...model];
  const matches: Condition = (kind) => all(conditions, kind);
  if (!filter.attemptedAccountIds) return conditions.length > 0 ? { matches } : undefined;
  const accountIds = new Set(filter.attemptedAccountIds);
  const isOwn: Condition = ({ accountId }) => accountId !== null && accountIds.has(accountId);
  return {
    matches: (kind) => isOwn(kind) && matches(kind),
    attempted: { accountIds, matches: (kind) => !isOwn(kind) && matches(kind) },
  };
}

/** The names of models and efforts that a filter wants. */
export function wantedNames({ models, efforts, modelOptions = [] }: RequestLogFilter) {
  return {
    models: [...(models ?? []), ...modelOptions.map(({ model }) => model)],
    efforts: [...(efforts ?? []), ...modelOptions.map(({ effort }) => effort)].filter((effort) => effort !== null),
  };
}

/** Whether a model and an effort are those that a filter wants. */
export function namesPredicate(filter: RequestLogFilter): (names: ModelOption) => boolean {
  const { model } = conditionsOf(filter);
  return (names) => all(model, { accountId: null, status: '', ...names });
}

/** Of what clients call models, those that a provider has served; later ones than the bound of `KindNames` are unknown. */
export const modelsServed = (kinds: readonly RequestKind[]): string[] =>
  [...new Set(kinds.flatMap(({ status, model }) => (status === '200' && model !== OTHER ? [model] : [])))].sort();

/** The kind of a request, with its own names where a filter wants them. */
export function kindNamed(
  kind: RequestKind,
  { modelBeyond, effortBeyond }: { readonly modelBeyond: string | null; readonly effortBeyond: string | null },
  isWanted: (names: ModelOption) => boolean,
): RequestKind {
  if (modelBeyond === null && effortBeyond === null) return kind;
  const own = { ...kind, model: modelBeyond ?? kind.model, effort: effortBeyond ?? kind.effort };
  return isWanted(own) ? own : kind;
}

function withOther({ models, efforts, modelOptions, ...rest }: RequestLogFilter): RequestLogFilter {
  return {
    ...rest,
    ...(models && { models: [...models, OTHER] }),
    ...(efforts && { efforts: [...efforts, OTHER] }),
    ...(modelOptions && {
      modelOptions: modelOptions.flatMap(({ model, effort }) => [
        { model, effort },
        { model: OTHER, effort },
        { model, effort: OTHER },
        { model: OTHER, effort: OTHER },
      ]),
    }),
  };
}

/** The numbers of requests that tried each account before their own, by their kinds. */
export interface AttemptCounts {
  /** By account, those of the kinds that match. */
  byAccount(matches: Condition): Map<string, number>;
  /** Those that tried an account; a kind may occur more than once. */
  of(accountId: string): readonly (readonly [RequestKind, number])[];
}

/** Numbers of requests within the time range of a filter. */
export interface RequestCounts {
  readonly kinds: readonly (readonly [RequestKind, number])[];
  readonly attempts: AttemptCounts;
  /**
   * Requests that tried a wanted account before another one that is not wanted, each once in the sum of its kind; for filters
   * with several `attemptedAccountIds` only: for one, the attempts say it.
   */
  readonly attempted: readonly (readonly [RequestKind, number])[];
}

/**
 * The values that a filter can be narrowed to, with their numbers of requests. Each list applies all conditions of the filter
 * except those on itself.
 */
export function filterOptions({ kinds, attempts, attempted }: RequestCounts, filter: RequestLogFilter): KindOptions {
  const { account, status, model } = conditionsOf(filter);
  const accountIds = new Map<string, number>();
  const statuses = new Map<string, number>();
  const modelOptions = new Map<string, ModelOption & { count: number }>();
  const wanted = filter.attemptedAccountIds && new Set(filter.attemptedAccountIds);
  const own = wanted ? kinds.filter(([{ accountId }]) => accountId !== null && wanted.has(accountId)) : kinds;
  for (const [kind, count] of wanted
    ? [...own, ...(wanted.size === 1 ? attempts.of([...wanted][0] as string) : attempted)]
    : own) {
    const [isAccount, isStatus, isModel] = [all(account, kind), all(status, kind), all(model, kind)];
    if (isStatus && isModel && kind.accountId !== null) add(accountIds, kind.accountId, count);
    if (isAccount && isModel) add(statuses, kind.status, count);
    if (!isAccount || !isStatus) continue;
    const key = optionKey(kind);
    const before = modelOptions.get(key)?.count ?? 0;
    modelOptions.set(key, { model: kind.model, effort: kind.effort, count: before + count });
  }
  const others = [...account, ...status, ...model];
  const attemptedAccountIds = attempts.byAccount((kind) => all(others, kind));
  for (const [kind, count] of kinds)
    if (kind.accountId !== null && all(others, kind)) add(attemptedAccountIds, kind.accountId, count);
  return {
    accountIds: inOrder(accountIds).map(([accountId, count]) => ({ accountId, count })),
    attemptedAccountIds: inOrder(attemptedAccountIds).map(([accountId, count]) => ({ accountId, count })),
    statuses: inOrder(statuses).map(([status, count]) => ({ status, count })),
    modelOptions: inOrder(modelOptions).map(([, option]) => option),
  };
}

const all = (conditions: readonly Condition[], kind: RequestKind): boolean =>
  conditions.every((matches) => matches(kind));

const add = (sums: Map<string, number>, name: string, count: number) => sums.set(name, (sums.get(name) ?? 0) + count);

const inOrder = <Value>(map: ReadonlyMap<string, Value>): [string, Value][] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1));

function conditionsOf({ accountIds, statuses, models, efforts, modelOptions }: RequestLogFilter) {
  return {
    account: anyOf('accountId', accountIds),
    status: anyOf('status', statuses),
    model: [...anyOf('model', models), ...anyOf('effort', efforts), ...anyOption(modelOptions)],
  };
}

function anyOf(name: keyof RequestKind, values: readonly (string | null)[] | undefined): Condition[] {
  if (!values) return [];
  const wanted = new Set(values);
  return [(kind) => wanted.has(kind[name])];
}

function anyOption(options: readonly ModelOption[] | undefined): Condition[] {
  if (!options) return [];
  const wanted = new Set(options.map(optionKey));
  return [(kind) => wanted.has(optionKey(kind))];
}

const optionKey = ({ model, effort }: ModelOption) => `${model}\u0000${effort ?? ''}`;
