import type { Position } from '../domain/core/brands.ts';
import type { FiguresQueries } from './figuresQueries.ts';
import type { HistoryQueries } from './historyQueries.ts';
import type { ProgressQueries } from './progressQueries.ts';
import type { RequestLogQueries } from './requestLogQueries.ts';
import type { RequestTotalsQueries } from './requestTotalsQueries.ts';
import type { UpTo } from './upTo.ts';
import type { UsageTrendsQueries } from './usageTrendsQueries.ts';

/** The queries of the read models by port. Each port has a test suite that every store passes. */
export interface ReadModelPorts {
  readonly requestLog: RequestLogQueries;
  readonly requestTotals: RequestTotalsQueries;
  readonly figures: FiguresQueries;
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

/** A query whose last parameter, `upTo`, is replaced with the position of `exactly`; null for the present. */
type QueryHandler<Query> = Query extends (...args: [...infer Args, UpTo]) => infer Result
  ? (...args: [...Args, asOf: Position | null]) => Result
  : never;

/** The queries of all ports, run once the read models have reached the position that they must include. */
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
    ((...given: unknown[]) => {
      const upTo = given.at(-1) as UpTo;
      const [asOf, minPosition] = typeof upTo === 'number' ? [null, upTo] : [upTo.exactly, upTo.exactly];
      return runQuery(port, name, [...given.slice(0, -1), asOf], minPosition);
    }) as never;
  return {
    requestLog: {
      page: query('requestLog', 'page'),
      rows: query('requestLog', 'rows'),
      options: query('requestLog', 'options'),
      models: query('requestLog', 'models'),
    },
    requestTotals: { since: query('requestTotals', 'since'), steps: query('requestTotals', 'steps') },
    figures: { breakdown: query('figures', 'breakdown') },
    usageTrends: { since: query('usageTrends', 'since'), ofAccount: query('usageTrends', 'ofAccount') },
    history: { page: query('history', 'page') },
    progress: { reached: query('progress', 'reached') },
  };
}
