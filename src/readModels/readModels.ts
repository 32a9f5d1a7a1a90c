import type { Position } from '../domain/core/brands.ts';
import type { HistoryQueries } from './historyQueries.ts';
import type { ProgressQueries } from './progressQueries.ts';
import type { RequestLogQueries } from './requestLogQueries.ts';
import type { RequestTotalsQueries } from './requestTotalsQueries.ts';
import type { UsageTrendsQueries } from './usageTrendsQueries.ts';

/** The queries of the read models by port. Each port has a test suite that every store passes. */
export interface ReadModelPorts {
  readonly requestLog: RequestLogQueries;
  readonly requestTotals: RequestTotalsQueries;
  readonly usageTrends: UsageTrendsQueries;
  readonly history: HistoryQueries;
  readonly progress: ProgressQueries;
}

/** Read models that follow the log. */
export interface ReadModels extends ReadModelPorts {
  /** Reports that the log has reached `position`. Cheap: at most one message to the thread is in flight. */
  notify(position: Position): void;
  /** Stops the read models; running queries fail. */
  close(): Promise<void>;
}

/** A query without its last parameter, `minPosition`. */
type QueryHandler<Query> = Query extends (...args: [...infer Args, Position]) => infer Result
  ? (...args: Args) => Result
  : never;

/** The queries of all ports, run once the read models have reached `minPosition`. */
export type QueryHandlers = {
  readonly [Port in keyof ReadModelPorts]: {
    readonly [Name in keyof ReadModelPorts[Port]]: QueryHandler<ReadModelPorts[Port][Name]>;
  };
};

/** As `QueryHandlers`, for a store with synchronous queries. */
export type SyncQueryHandlers = {
  readonly [Port in keyof QueryHandlers]: {
    readonly [Name in keyof QueryHandlers[Port]]: QueryHandlers[Port][Name] extends (
      ...args: infer Args
    ) => Promise<infer Result>
      ? (...args: Args) => Result
      : never;
  };
};

/** Runs a query by its name. */
export type RunQuery = (
  port: keyof ReadModelPorts,
  name: string,
  args: readonly unknown[],
  minPosition: Position,
) => Promise<unknown>;

/** The ports, with every query run by `runQuery`. */
export function portsOver(runQuery: RunQuery): ReadModelPorts {
  const query = <Port extends keyof ReadModelPorts>(port: Port, name: keyof ReadModelPorts[Port] & string) =>
    ((...given: unknown[]) => runQuery(port, name, given.slice(0, -1), given.at(-1) as Position)) as never;
  return {
    requestLog: {
      page: query('requestLog', 'page'),
      options: query('requestLog', 'options'),
      models: query('requestLog', 'models'),
    },
    requestTotals: { since: query('requestTotals', 'since'), steps: query('requestTotals', 'steps') },
    usageTrends: { since: query('usageTrends', 'since'), ofAccount: query('usageTrends', 'ofAccount') },
    history: { page: query('history', 'page') },
    progress: { reached: query('progress', 'reached') },
  };
}
