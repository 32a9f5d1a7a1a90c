import type { DatabaseSync } from 'node:sqlite';
import type { Grouping } from '../../../projections/figures.ts';
import { startOf } from '../../../projections/periods.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { fieldsOf, LIST_OF } from '../columns/fieldPairs.ts';
import { keyOf } from '../figureCounts.ts';
import type { RequestLogFilter } from '../requestLogQueries.ts';
import { groupingNumber } from './figureNames.ts';
import { periodNumber } from './rollUpTable.ts';

/**
 * About the share of requests that a filter lets through, by the sums of months: at least this, where values of several fields do not
 * exclude each other.
 * @returns from 0 to 1; 0 for filters on anything but fields
 */
export function shareOf(
  database: DatabaseSync,
  filter: RequestLogFilter,
  { from, to }: { readonly from: Instant; readonly to: Instant },
): number {
  const fields = fieldsOf(filter);
  if (!fields) return 0;
  const months = `SELECT SUM(requests) AS requests FROM figures
    WHERE grouping = ? AND period = ${periodNumber('month')} AND start >= ? AND start < ?`;
  const range = [startOf('month', from), to] as const;
  const all = database.prepare(months).get(groupingNumber('all'), ...range)?.requests as number | null;
  if (!all) return 0;
  const some = database.prepare(`${months} AND groupId IN (
    SELECT id FROM figureGroups WHERE figureGroups.grouping = ? AND key IN (SELECT value FROM json_each(?)))`);
  const shareOfField = (field: Grouping): number => {
    const keys = JSON.stringify((filter[LIST_OF[field]] as readonly (string | null)[]).map(keyOf));
    const own = some.get(groupingNumber(field), ...range, groupingNumber(field), keys)?.requests as number | null;
    return (own ?? 0) / all;
  };
  return Math.max(
    0,
    fields.reduce((share, field) => share - (1 - shareOfField(field)), 1),
  );
}
