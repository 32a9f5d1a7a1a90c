import type { RequestSource } from '../../projections/requestLog.ts';
import type { RequestLogFilter, RequestLogOptions } from './requestLogQueries.ts';

type Condition = (source: RequestSource) => boolean;

/** The conditions of a filter on the source of a request, by the list of options that ignores them. */
const LISTS = [
  { list: 'apiKeyIds', field: 'apiKeyId' },
  { list: 'errorCodes', field: 'errorCode' },
  { list: 'owners', field: 'owner' },
  { list: 'teams', field: 'team' },
  { list: 'transports', field: 'transport' },
] as const satisfies readonly { readonly list: keyof RequestLogFilter; readonly field: keyof RequestSource }[];

type ListName = (typeof LISTS)[number]['list'];

const conditionsOf = (filter: RequestLogFilter): { readonly list: ListName; readonly matches: Condition }[] =>
  LISTS.flatMap(({ list, field }) => {
    const values = filter[list];
    if (!values) return [];
    const wanted = new Set<string | null>(values);
    return [{ list, matches: (source: RequestSource) => wanted.has(source[field]) }];
  });

/** @returns undefined when the filter has no condition on the source of a request */
export function sourcePredicate(filter: RequestLogFilter): Condition | undefined {
  const conditions = conditionsOf(filter);
  return conditions.length === 0 ? undefined : (source) => conditions.every(({ matches }) => matches(source));
}

/** Whether a filter has conditions that no sums are grouped by, so that rows have to be counted. */
export const needsRows = (filter: RequestLogFilter): boolean =>
  LISTS.some(({ list }) => filter[list]) ||
  filter.clients !== undefined ||
  filter.addressDigests !== undefined ||
  filter.conversations !== undefined;

/** The values of keys, error codes, owners and teams. @param counts numbers of requests by source */
export function sourceOptions(
  counts: readonly (readonly [RequestSource, number])[],
  filter: RequestLogFilter,
): Pick<RequestLogOptions, 'apiKeyIds' | 'errorCodes' | 'owners' | 'teams'> {
  const conditions = conditionsOf(filter);
  const valuesOf = (list: ListName, field: keyof RequestSource) => {
    const others = conditions.filter((condition) => condition.list !== list);
    const sums = new Map<string, number>();
    for (const [source, count] of counts) {
      const value = source[field];
      if (value === null || count === 0 || !others.every(({ matches }) => matches(source))) continue;
      sums.set(value, (sums.get(value) ?? 0) + count);
    }
    return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([value, count]) => ({ value, count }));
  };
  return {
    apiKeyIds: valuesOf('apiKeyIds', 'apiKeyId'),
    errorCodes: valuesOf('errorCodes', 'errorCode'),
    owners: valuesOf('owners', 'owner'),
    teams: valuesOf('teams', 'team'),
  };
}
