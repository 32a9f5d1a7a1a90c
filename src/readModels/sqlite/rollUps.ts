import type { DatabaseSync } from 'node:sqlite';
import type { Period } from '../../../projections/periods.ts';
import { REQUEST_SUMS, requestLog } from '../../../projections/requestLog.ts';
import { USAGE_SUMS, usageTrends } from '../../../projections/usageTrends.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { RollUpTable } from './rollUpTable.ts';

/** The group of requests without an error code. */
export const NO_ERROR = '';

type OnChange = (period: Period, start: Instant) => void;

/** Creates the tables of all roll-ups. @param listeners called with each period whose counts have changed */
export function rollUpTables(
  database: DatabaseSync,
  {
    onKinds,
    onAttempts,
    onSources,
  }: { readonly onKinds: OnChange; readonly onAttempts: OnChange; readonly onSources: OnChange },
) {
  const requestsByKind = new RollUpTable(database, {
    table: 'requestsByKind',
    group: { name: 'kindId', type: 'INTEGER' },
    periods: requestLog.periods.requestsByKind,
    sums: REQUEST_SUMS,
    onChange: onKinds,
  });
  const requestsByAttempt = new RollUpTable(database, {
    table: 'requestsByAttempt',
    group: { name: 'attemptKindId', type: 'INTEGER' },
    periods: requestLog.periods.requestsByAttempt,
    sums: ['requests'],
    onChange: onAttempts,
  });
  const requestsBySource = new RollUpTable(database, {
    table: 'requestsBySource',
    group: { name: 'sourceId', type: 'INTEGER' },
    periods: requestLog.periods.requestsBySource,
    sums: REQUEST_SUMS,
    onChange: onSources,
  });
  const requestsByErrorCode = new RollUpTable(database, {
    table: 'requestsByErrorCode',
    group: { name: 'errorCode', type: 'TEXT' },
    periods: requestLog.periods.requestsByErrorCode,
    sums: REQUEST_SUMS,
  });
  const usageByAccount = new RollUpTable(database, {
    table: 'usageByAccount',
    group: { name: 'accountId', type: 'TEXT' },
    periods: usageTrends.periods.usageByAccount,
    sums: USAGE_SUMS,
  });
  database.exec('CREATE INDEX IF NOT EXISTS usageByAccountAndTime ON usageByAccount (accountId, period, start)');
  return { requestsByKind, requestsByAttempt, requestsBySource, requestsByErrorCode, usageByAccount };
}
