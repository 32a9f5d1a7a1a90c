import type { DatabaseSync } from 'node:sqlite';
import { answeredModels, requestLogOptions, requestLogPage } from './requestLogReader.ts';
import type { RequestTable } from './requestTable.ts';
import { requestTotalsSince } from './requestTotals.ts';
import { usageHoursOf, usageSince } from './usageHours.ts';
import type { Answers } from './wire.ts';

/** Every query over the tables of one file. */
export const answersFrom = (database: DatabaseSync, requests: RequestTable): Answers => ({
  requestLog: {
    page: (filter, limit, offset) => requestLogPage(database, requests, filter, limit, offset),
    options: (filter) => requestLogOptions(database, requests, filter),
    models: () => answeredModels(requests),
  },
  requestTotals: {
    since: (since) => requestTotalsSince(database, requests, since),
  },
  usageTrends: {
    since: (since) => usageSince(database, since),
    ofAccount: (accountId, since) => usageHoursOf(database, accountId, since),
  },
});
