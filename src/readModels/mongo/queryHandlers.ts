import type { Instant, Position } from '../../domain/core/brands.ts';
import { archivedAsOf, cutAfterArchived } from '../archivedDays.ts';
import { beforeAsOf, type Cut } from '../cut.ts';
import type { QueryHandlers } from '../readModels.ts';
import { breakdown } from './breakdown.ts';
import { historyPage } from './historyPage.ts';
import type { ReadView } from './readView.ts';
import { modelsWithSuccess, requestLogOptions } from './requestOptions.ts';
import { requestLogPage, rowsAt } from './requestPages.ts';
import { requestSteps, requestTotalsSince } from './requestTotals.ts';
import { usageHoursOf, usageSince } from './usageHours.ts';

/** All queries over one generation. */
export function createQueryHandlers(view: ReadView): QueryHandlers {
  const requestsAt = <Result>(asOf: Position | null, query: (cut: Cut | undefined) => Promise<Result>) =>
    view.spans.runAt('requests', asOf, view.position, (cut) =>
      query(cut && cutAfterArchived(cut, view.archived, view.archivedUpTo)),
    );
  const usageAt = <Result>(asOf: Position | null, query: (cut: Cut | undefined) => Promise<Result>) =>
    view.spans.runAt('usage', asOf, view.position, query);
  return {
    requestLog: {
      page: (filter, limit, offset, asOf) =>
        requestsAt(asOf, async (cut) => ({
          ...(await requestLogPage(view, filter, limit, offset, cut)),
          ...archivedAsOf(view.archived, filter, cut),
        })),
      rows: (positions) => rowsAt(view, positions),
      options: (filter, asOf) => requestsAt(asOf, (cut) => requestLogOptions(view, filter, cut)),
      models: (asOf) => requestsAt(asOf, (cut) => modelsWithSuccess(view, cut)),
    },
    requestTotals: {
      since: (since, asOf) => requestsAt(asOf, (cut) => requestTotalsSince(view, since, cut)),
      steps: (since, stepMs, asOf) => requestsAt(asOf, (cut) => requestSteps(view, since, stepMs, cut)),
    },
    figures: {
      breakdown: (request, asOf) =>
        // Always as of a position: the sums may have a part of the next batch.
        requestsAt(asOf ?? view.position, async (cut) => {
          const { edges } = request;
          const range = { since: edges[0] as Instant, until: edges.at(-1) as Instant };
          const archived = archivedAsOf(view.archived, range, asOf === null ? undefined : cut);
          const own = asOf === null ? cutAfterArchived(cut as Cut, view.archived, 0) : (cut as Cut);
          return { ...(await breakdown(view, request, own)), ...archived };
        }),
    },
    usageTrends: {
      since: (since, asOf) => usageAt(asOf, (cut) => usageSince(view, since, cut)),
      ofAccount: (accountId, since, asOf) => usageAt(asOf, (cut) => usageHoursOf(view, accountId, since, cut)),
    },
    history: {
      page: (filter, before, limit, asOf) =>
        requestsAt(asOf, async (cut) => ({
          ...(await historyPage(view, filter, beforeAsOf(before, asOf), limit)),
          ...archivedAsOf(view.archived, filter, cut),
        })),
    },
    progress: { reached: async () => view.position },
  };
}
