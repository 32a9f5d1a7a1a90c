import type { QueryHandlers } from '../readModels.ts';
import { historyPage } from './historyPage.ts';
import type { ReadView } from './readView.ts';
import { answeredModels, requestLogOptions, requestLogPage } from './requestPages.ts';
import { requestSteps, requestTotalsSince } from './requestTotals.ts';
import { usageHoursOf, usageSince } from './usageHours.ts';

/** Every query, answered from one generation. */
export const createQueryHandlers = (reach: ReadView): QueryHandlers => ({
  requestLog: {
    page: (filter, limit, offset) => requestLogPage(reach, filter, limit, offset),
    options: (filter) => requestLogOptions(reach, filter),
    models: () => answeredModels(reach),
  },
  requestTotals: {
    since: (since) => requestTotalsSince(reach, since),
    steps: (since, stepMs) => requestSteps(reach, since, stepMs),
  },
  usageTrends: {
    since: (since) => usageSince(reach, since),
    ofAccount: (accountId, since) => usageHoursOf(reach, accountId, since),
  },
  history: { page: (filter, before, limit) => historyPage(reach, filter, before, limit) },
  progress: { reached: async () => reach.position },
});
