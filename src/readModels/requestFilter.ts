import type { RequestKind } from '../../projections/requestLog.ts';
import { type Instant, instant } from '../domain/core/brands.ts';
import { MAX_INSTANT } from './periodRanges.ts';
import type { ModelOption, RequestLogFilter, RequestLogOptions } from './requestLogQueries.ts';

type Condition = (kind: RequestKind) => boolean;

/** The time range of a filter; `to` is exclusive. */
export const timeRangeOf = ({ since, until }: RequestLogFilter): { from: Instant; to: Instant } => ({
  from: instant(Math.max(0, since ?? 0)),
  to: instant(Math.min(MAX_INSTANT, until === undefined ? MAX_INSTANT : until + 1)),
});

/** @returns undefined when the filter has no condition on the kind of a request */
export function kindPredicate(filter: RequestLogFilter): Condition | undefined {
  const conditions = Object.values(conditionsOf(filter)).flat();
  return conditions.length > 0 ? (kind) => conditions.every((matches) => matches(kind)) : undefined;
}

/**
 * The values that a filter can be narrowed to, with their numbers of requests. Each list applies all conditions of the filter
 * except those on itself.
 * @param counts each kind with its number of requests
 */
export function filterOptions(
  counts: Iterable<readonly [RequestKind, number]>,
  filter: RequestLogFilter,
): RequestLogOptions {
  const { account, status, model } = conditionsOf(filter);
  const accountIds = new Map<string, number>();
  const statuses = new Map<string, number>();
  const modelOptions = new Map<string, ModelOption & { count: number }>();
  const all = (conditions: readonly Condition[], kind: RequestKind) => conditions.every((matches) => matches(kind));
  for (const [kind, count] of counts) {
    const [isAccount, isStatus, isModel] = [all(account, kind), all(status, kind), all(model, kind)];
    if (isStatus && isModel && kind.accountId !== null) add(accountIds, kind.accountId, count);
    if (isAccount && isModel) add(statuses, kind.status, count);
    if (!isAccount || !isStatus) continue;
    const key = optionKey(kind);
    const before = modelOptions.get(key)?.count ?? 0;
    modelOptions.set(key, { model: kind.model, effort: kind.effort, count: before + count });
  }
  return {
    accountIds: inOrder(accountIds).map(([accountId, count]) => ({ accountId, count })),
    statuses: inOrder(statuses).map(([status, count]) => ({ status, count })),
    modelOptions: inOrder(modelOptions).map(([, option]) => option),
  };
}

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
