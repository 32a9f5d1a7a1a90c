import { GROUPINGS, type Grouping } from '../usage/usageQuery.ts';
import { LIST_NAMES, type LogFilter } from './logFilter.ts';

/** The grouping that lets the service add up sums instead of rows: that of the only filter, if there is one. */
export function groupingFor(filter: LogFilter): Grouping {
  const used = LIST_NAMES.filter((name) => filter[name].length > 0);
  const own = used.length === 1 ? GROUPINGS.find((grouping) => grouping.filter === used[0]) : undefined;
  return own?.value ?? 'status';
}
