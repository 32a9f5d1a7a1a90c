import type { QueryHandlers } from '../readModels.ts';
import { historyPage } from './historyPage.ts';
import type { ReadView } from './readView.ts';
import { modelsWithSuccess, requestLogOptions, requestLogPage } from './requestPages.ts';
import { requestSteps, requestTotalsSince } from './requestTotals.ts';
import { usageHoursOf, usageSince } from './usageHours.ts';

/** All queries over one generation. */
export const createQueryHandlers = (view: ReadView): QueryHandlers => ({
  requestLog: {
    page: (filter, limit, offset) => requestLogPage(view, filter, limit, offset),
    options: (filter) => requestLogOptions(view, filter),
    models: () => modelsWithSuccess(view),
  },
  requestTotals: {
    since: (since) => requestTotalsSince(view, since),
    steps: (since, stepMs) => requestSteps(view, since, stepMs),
  },
  usageTrends: {
    since: (since) => usageSince(view, since),
    ofAccount: (accountId, since) => usageHoursOf(view, accountId, since),
  },
  history: { page: (filter, before, limit) => historyPage(view, filter, before, limit) },
  progress: { reached: async () => view.position },
});
