import type { Position } from '../domain/core/brands.ts';
import { ThreadEnded } from '../lib/threads/errors.ts';
import type { ReadModelPorts, RunQuery } from './readModels.ts';
import { ReadModelUnavailable } from './readModelUnavailable.ts';

/** A query, sent to the thread of the read models. */
export interface Query {
  readonly port: keyof ReadModelPorts;
  readonly name: string;
  readonly args: readonly unknown[];
  readonly minPosition: Position;
}

/** The messages that every read model thread accepts. */
export interface QueryThread {
  requests: {
    query(query: Query): unknown;
  };
  notifications: {
    logAdvanced(): void;
  };
}

/**
 * Sends queries to a thread. They reject with `ReadModelUnavailable`.
 * @param whyEnded why the thread ended last; undefined while it runs, and when it was stopped
 */
export function queryOnThread(
  thread: { request(name: 'query', query: Query): Promise<unknown> },
  whyEnded: () => string | undefined = () => undefined,
): RunQuery {
  return async (port, name, args, minPosition) => {
    try {
      return await thread.request('query', { port, name, args, minPosition });
    } catch (error) {
      if (error instanceof ThreadEnded)
        throw new ReadModelUnavailable(['the read models have stopped', whyEnded()].filter(Boolean).join(': '));
      throw new ReadModelUnavailable((error as Error).message);
    }
  };
}
