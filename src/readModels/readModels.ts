import type { Position } from '../domain/core/brands.ts';
import type { HistoryQueries } from './historyQueries.ts';
import type { ProgressQueries } from './progressQueries.ts';
import type { RequestLogQueries } from './requestLogQueries.ts';
import type { RequestTotalsQueries } from './requestTotalsQueries.ts';
import type { UsageTrendsQueries } from './usageTrendsQueries.ts';

/** Everything that is asked of read models; each port has one suite, which every store passes. */
export interface ReadModelPorts {
  readonly requestLog: RequestLogQueries;
  readonly requestTotals: RequestTotalsQueries;
  readonly usageTrends: UsageTrendsQueries;
  readonly history: HistoryQueries;
  readonly progress: ProgressQueries;
}

/** Read models that follow a log. */
export interface ReadModels extends ReadModelPorts {
  /** Says that the log holds `position`. Costs a comparison: at most one message is under way. */
  notify(position: Position): void;
  /** Stops whatever makes them; queries under way fail. */
  close(): Promise<void>;
}

/** A query without its last parameter, the position that its answer has to hold. */
type Query<Query> = Query extends (...args: [...infer Args, Position]) => infer Answer
  ? (...args: Args) => Answer
  : never;

/** The ports' queries over something that reaches far enough already. */
export type QueryHandlers = {
  readonly [Port in keyof ReadModelPorts]: {
    readonly [Name in keyof ReadModelPorts[Port]]: Query<ReadModelPorts[Port][Name]>;
  };
};

/** As `Answers`, from a store that answers at once. */
export type SyncQueryHandlers = {
  readonly [Port in keyof QueryHandlers]: {
    readonly [Name in keyof QueryHandlers[Port]]: QueryHandlers[Port][Name] extends (
      ...args: infer Args
    ) => Promise<infer Answer>
      ? (...args: Args) => Answer
      : never;
  };
};

/** Asks the query of this name wherever it is answered. */
export type Ask = (
  port: keyof ReadModelPorts,
  name: string,
  args: readonly unknown[],
  minPosition: Position,
) => Promise<unknown>;

/** The ports, with each query answered by `ask`. */
export function portsOver(ask: Ask): ReadModelPorts {
  const query = <Port extends keyof ReadModelPorts>(port: Port, name: keyof ReadModelPorts[Port] & string) =>
    ((...given: unknown[]) => ask(port, name, given.slice(0, -1), given.at(-1) as Position)) as never;
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
