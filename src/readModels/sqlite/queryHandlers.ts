import type { DatabaseSync } from 'node:sqlite';
import type { Instant, Position } from '../../domain/core/brands.ts';
import { archivedAsOf, cutAfterArchived, endOfArchivedDay } from '../archivedDays.ts';
import { beforeAsOf } from '../cut.ts';
import type { Breakdown, BreakdownRequest } from '../figuresQueries.ts';
import type { SyncQueryHandlers } from '../readModels.ts';
import type { Turns } from '../turns.ts';
import { breakdown } from './breakdown.ts';
import { historyPage } from './historyPage.ts';
import type { LogReader } from './logReader.ts';
import type { Projector } from './projector.ts';
import { modelsWithSuccess, requestLogOptions } from './requestLogOptions.ts';
import { requestLogPage } from './requestLogPage.ts';
import { requestSteps, requestTotalsSince } from './requestTotals.ts';
import { usageHoursOf, usageSince } from './usageHours.ts';

interface SqliteQueryHandlers extends Omit<SyncQueryHandlers, 'figures'> {
  readonly figures: {
    /** @param snapshot reads the tables as they are now, whatever is written between two turns */
    breakdown(request: BreakdownRequest, asOf: Position | null, snapshot: DatabaseSync): Turns<Breakdown>;
  };
}

/** All queries over the tables of one file and the log that they were built from. */
export function createQueryHandlers(database: DatabaseSync, projector: Projector, log: LogReader): SqliteQueryHandlers {
  const { tables, position } = projector;
  const { requestIds, history, spans } = tables;
  const hasAllRowsFrom = (from: Instant): boolean =>
    !projector.isOutdated() && log.archive.days().every((day) => endOfArchivedDay(day) <= from);
  const cut = (asOf: Position | null) => {
    const at = spans.cutAt('requests', asOf, position);
    return at && cutAfterArchived(at, log.archive.days(), log.archive.end());
  };
  const usageCut = (asOf: Position | null) => spans.cutAt('usage', asOf, position);
  return {
    requestLog: {
      page: (filter, limit, offset, asOf) => {
        const days = log.archive.days();
        const at = cut(asOf);
        const page = requestLogPage(database, tables, filter, limit, offset, position, days, at);
        return { ...page, ...archivedAsOf(days, filter, at) };
      },
      rows: (positions) => tables.requests.at(positions),
      options: (filter, asOf) => requestLogOptions(database, tables, filter, cut(asOf)),
      models: (asOf) => modelsWithSuccess(database, tables, cut(asOf)),
    },
    requestTotals: {
      since: (since, asOf) => requestTotalsSince(database, since, cut(asOf)),
      steps: (since, stepMs, asOf) => requestSteps(database, since, stepMs, cut(asOf)),
    },
    figures: {
      *breakdown(request, asOf, snapshot) {
        const at = cut(asOf);
        const { edges } = request;
        const range = { since: edges[0] as Instant, until: edges.at(-1) as Instant };
        const archived = archivedAsOf(log.archive.days(), range, at);
        return {
          ...(yield* breakdown(snapshot, tables, request, position, at, hasAllRowsFrom(range.since))),
          ...archived,
        };
      },
    },
    usageTrends: {
      since: (since, asOf) => usageSince(database, since, usageCut(asOf)),
      ofAccount: (accountId, since, asOf) => usageHoursOf(database, accountId, since, usageCut(asOf)),
    },
    history: {
      page: (filter, before, limit, asOf) => ({
        ...historyPage({ index: history, requestIds, log, position }, filter, beforeAsOf(before, asOf), limit),
        ...archivedAsOf(log.archive.days(), filter, cut(asOf)),
      }),
    },
    progress: { reached: () => position },
  };
}
