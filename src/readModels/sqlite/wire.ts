import type { Position } from '../../domain/brands.ts';
import type { HistoryQueries } from '../historyQueries.ts';
import type { RequestLogQueries } from '../requestLogQueries.ts';
import type { RequestTotalsQueries } from '../requestTotalsQueries.ts';
import type { UsageTrendsQueries } from '../usageTrendsQueries.ts';

/** What the worker is started with. */
export interface WorkerOptions {
  readonly path: string;
  readonly logPath: string;
}

interface Ports {
  readonly requestLog: RequestLogQueries;
  readonly requestTotals: RequestTotalsQueries;
  readonly usageTrends: UsageTrendsQueries;
  readonly history: HistoryQueries;
}

/** A query without its last parameter, the position that its answer has to hold. */
type Answering<Query> = Query extends (...args: [...infer Args, Position]) => Promise<infer Answer>
  ? (...args: Args) => Answer
  : never;

/** The ports' queries as the worker answers them. */
export type Answers = {
  readonly [Port in keyof Ports]: { readonly [Name in keyof Ports[Port]]: Answering<Ports[Port][Name]> };
};

export interface Query {
  readonly kind: 'query';
  readonly id: number;
  readonly port: keyof Answers;
  readonly name: string;
  readonly args: readonly unknown[];
  readonly minPosition: Position;
}

/** To the worker: the log holds something new; answer a query; stop. */
export type ToWorker = { readonly kind: 'news' } | Query | { readonly kind: 'close' };

/** From the worker: how far it is after news, and why no further; an answer; a query that failed. */
export type FromWorker =
  | { readonly kind: 'caughtUp'; readonly position: Position; readonly trouble: string | undefined }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly trouble: string };
