import type { LogBreak } from '../../eventLog/continuity.ts';
import type { Query, QueryThread } from '../queryThread.ts';

export interface MongoThreadOptions {
  readonly url: string;
  readonly fencedBy: string;
  readonly logPath: string;
  readonly isCopy: boolean;
}

/** The messages between the main thread and the read model thread. */
export interface ReadModelsThread extends QueryThread {
  options: MongoThreadOptions;
  requests: {
    query(query: Query): unknown;
    /** Projects the log during a lease term; resolves soon after the term has ended. */
    project(term: { readonly id: number; readonly epoch: number }): void;
  };
  notifications: {
    logAdvanced(): void;
    termEnded(id: number): void;
  };
  reports: {
    /** Asks for the next `logAdvanced`. */
    readyForMore(): void;
    /** An event does not continue the log before it. */
    broken(found: LogBreak): void;
    /** A line for the operator. */
    line(text: string): void;
  };
}
