import type { RequestKind } from '../../projections/requestLog.ts';
import type { ModelOption, RequestLogFilter, RequestLogOptions } from './requestLogQueries.ts';

type Condition = (kind: RequestKind) => boolean;

/** @returns undefined when the filter has no condition on the kind of a request */
export function matcher(filter: RequestLogFilter): Condition | undefined {
  const conditions = Object.values(conditionsOf(filter)).flat();
  return conditions.length > 0 ? (kind) => conditions.every((holds) => holds(kind)) : undefined;
}

/** Values of these kinds; a list ignores the conditions on itself and obeys the others. */
export function optionsOf(kinds: Iterable<RequestKind>, filter: RequestLogFilter): RequestLogOptions {
  const { account, status, model } = conditionsOf(filter);
  const accountIds = new Set<string>();
  const statuses = new Set<string>();
  const modelOptions = new Map<string, ModelOption>();
  const all = (conditions: readonly Condition[], kind: RequestKind) => conditions.every((holds) => holds(kind));
  for (const kind of kinds) {
    const [isAccount, isStatus, isModel] = [all(account, kind), all(status, kind), all(model, kind)];
    if (isStatus && isModel && kind.accountId !== null) accountIds.add(kind.accountId);
    if (isAccount && isModel) statuses.add(kind.status);
    if (!isAccount || !isStatus) continue;
    const key = optionKey(kind);
    if (!modelOptions.has(key)) modelOptions.set(key, { model: kind.model, effort: kind.effort });
  }
  return {
    accountIds: [...accountIds].sort(),
    statuses: [...statuses].sort(),
    modelOptions: [...modelOptions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, option]) => option),
  };
}

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
