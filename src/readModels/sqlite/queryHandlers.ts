import type { DatabaseSync } from 'node:sqlite';
import { type ArchivedDay, archivedWithin } from '../archivedDays.ts';
import type { SyncQueryHandlers } from '../readModels.ts';
import { historyPage } from './historyPage.ts';
import type { LogReader } from './logReader.ts';
import type { Projector } from './projector.ts';
import { modelsWithSuccess, requestLogOptions, requestLogPage } from './requestPages.ts';
import { requestSteps, requestTotalsSince } from './requestTotals.ts';
import { usageHoursOf, usageSince } from './usageHours.ts';

/** Without archived days a result has no list of them. */
function archivedIn(days: readonly ArchivedDay[], filter: Parameters<typeof archivedWithin>[1]) {
  const archived = archivedWithin(days, filter);
  return archived.length > 0 ? { archived } : {};
}

/** All queries over the tables of one file and the log that they were built from. */
export function createQueryHandlers(
  database: DatabaseSync,
  { tables, position }: Projector,
  log: LogReader,
): SyncQueryHandlers {
  const { requests, requestIds, history } = tables;
  return {
    requestLog: {
      page: (filter, limit, offset) => {
        const days = log.archive.days();
        const page = requestLogPage(database, tables, filter, limit, offset, position, days);
        return { ...page, ...archivedIn(days, filter) };
      },
      options: (filter) => requestLogOptions(database, tables, filter),
      models: () => modelsWithSuccess(requests),
    },
    requestTotals: {
      since: (since) => requestTotalsSince(database, since),
      steps: (since, stepMs) => requestSteps(database, since, stepMs),
    },
    usageTrends: {
      since: (since) => usageSince(database, since),
      ofAccount: (accountId, since) => usageHoursOf(database, accountId, since),
    },
    history: {
      page: (filter, before, limit) => ({
        ...historyPage({ index: history, requestIds, log, position }, filter, before, limit),
        ...archivedIn(log.archive.days(), filter),
      }),
    },
    progress: { reached: () => position },
  };
}
