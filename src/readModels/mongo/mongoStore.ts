import { setTimeout as delay } from 'node:timers/promises';
import type { Position } from '../../domain/core/brands.ts';
import type { LogBreak } from '../../eventLog/continuity.ts';
import { sleep } from '../../lib/sleep.ts';
import type { LeaseTerm } from '../../state/leases/leaseTerm.ts';
import type { RunQuery } from '../readModels.ts';
import { ReadModelUnavailable } from '../readModelUnavailable.ts';
import { ActiveGeneration } from './activeGeneration.ts';
import { AutoResetEvent } from './autoResetEvent.ts';
import { type Connection, connect } from './connection.ts';
import { FailureReporter } from './failureReporter.ts';
import { Generations } from './generations.ts';
import type { LogReader } from './logReader.ts';
import { projectDuringTerm } from './projector.ts';
import { createQueryHandlers } from './queryHandlers.ts';
import type { ReadView } from './readView.ts';

export interface MongoStoreOptions {
  readonly url: string;
  readonly log: LogReader;
  /** Identifies the lease that the epochs belong to: epochs of different leases are not comparable. */
  readonly fencedBy: string;
  /** Whether the log is a copy, which may be behind the log that other nodes projected. */
  readonly isCopy?: boolean;
  /** Called with lines for the operator. */
  readonly report: (line: string) => void;
  /** Called with events that do not continue the log before them. */
  readonly onBreak?: (found: LogBreak) => void;
  readonly batchEvents?: number;
  /** Milliseconds of a monotonic clock; `performance.now` when absent. */
  readonly now?: () => number;
}

/** The read models in MongoDB, used by one thread: it runs queries, and projects the log during lease terms. */
export interface MongoStore {
  /** @throws ReadModelUnavailable */
  readonly query: RunQuery;
  /** Reports that the log has new events. */
  notify(): void;
  /** Projects the log; resolves soon after the term has ended. */
  project(term: LeaseTerm): Promise<void>;
  close(): Promise<void>;
}

/** How long a query waits for its `minPosition`; after that it runs on what has been projected. */
const MAX_WAIT_MS = 1_000;
const POLL_INTERVAL_MS = 20;
/** After this time a query fails when the server does not respond to heartbeats. */
const MIN_SILENCE_MS = 2_000;
/** For a slow server that responds to heartbeats. */
const RESPONSE_TIMEOUT_MS = 30_000;
const LIVENESS_INTERVAL_MS = 100;

/** Creates the store and begins to connect. @throws Error for a URL that cannot be used */
export function createMongoStore(options: MongoStoreOptions): MongoStore {
  const { url, log, fencedBy, isCopy = false, report, onBreak, batchEvents, now } = options;
  const connection = connect(url);
  const { db, hosts, open, close } = connection;
  const generations = new Generations(db);
  const active = new ActiveGeneration(generations);
  const failures = new FailureReporter(hosts, report, now);
  const [newEvents, waitingQuery] = [new AutoResetEvent(), new AutoResetEvent()];
  const closing = new AbortController();
  const projecting = new Set<Promise<void>>();
  let onReached: (() => void) | undefined;

  /** Connects at the start, so that an unreachable server is reported before the first query. */
  async function connectAtStart(): Promise<void> {
    while (!closing.signal.aborted && projecting.size === 0) {
      try {
        await open();
        await db.command({ ping: 1 });
        if (projecting.size === 0) failures.onSuccess();
        return;
      } catch (error) {
        if (closing.signal.aborted || projecting.size > 0) return;
        await sleep(failures.onFailure(error as Error), closing.signal);
      }
    }
  }

  async function viewAt(minPosition: Position): Promise<ReadView> {
    const deadline = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const known = await active.current();
      if (known.position >= minPosition) return known;
      if (performance.now() >= deadline) {
        if (projecting.size > 0 && failures.blockedReason !== undefined)
          throw new ReadModelUnavailable(failures.blockedReason);
        return known;
      }
      if (projecting.size > 0) {
        newEvents.set();
        waitingQuery.set();
        await nextBatch();
      } else if ((await active.refresh()).position < minPosition) {
        await delay(POLL_INTERVAL_MS);
      }
    }
  }

  const nextBatch = () =>
    Promise.race([
      new Promise<void>((resolve) => (onReached = resolve)),
      delay(POLL_INTERVAL_MS, undefined, { ref: false }),
    ]);

  const runQuery: RunQuery = async (port, name, args, minPosition) => {
    await open();
    const queries = createQueryHandlers(await viewAt(minPosition))[port] as Record<
      string,
      (...args: unknown[]) => unknown
    >;
    return queries[name]?.(...args);
  };

  void connectAtStart();

  return {
    async query(...query) {
      if (closing.signal.aborted) throw new ReadModelUnavailable('the read models are closed');
      try {
        return await failWhenUnresponsive(connection, runQuery(...query));
      } catch (error) {
        if (error instanceof ReadModelUnavailable) throw error;
        throw new ReadModelUnavailable(`MongoDB at ${hosts}: ${(error as Error).message}`, { cause: error });
      }
    },
    notify: () => newEvents.set(),
    async project(term) {
      const signal = AbortSignal.any([term.signal, closing.signal]);
      const limitedTerm: LeaseTerm = { epoch: term.epoch, signal, isHeld: () => !signal.aborted && term.isHeld() };
      const projection = {
        open,
        generations,
        active,
        log,
        fencedBy,
        isCopy,
        failures,
        newEvents,
        waitingQuery,
        onBreak,
        report,
      };
      const ending = projectDuringTerm(
        { ...projection, onReached: () => onReached?.(), ...(batchEvents && { batchEvents }) },
        limitedTerm,
      );
      projecting.add(ending);
      await ending.finally(() => projecting.delete(ending));
    },
    async close() {
      closing.abort();
      await Promise.allSettled(projecting);
      await close();
    },
  };
}

/** @throws Error when the server stops responding, or takes too long */
async function failWhenUnresponsive<Value>(connection: Connection, work: Promise<Value>): Promise<Value> {
  const done = new AbortController();
  const silence = (async () => {
    for (let waitedMs = MIN_SILENCE_MS; waitedMs < RESPONSE_TIMEOUT_MS; waitedMs += LIVENESS_INTERVAL_MS) {
      await delay(waitedMs === MIN_SILENCE_MS ? MIN_SILENCE_MS : LIVENESS_INTERVAL_MS, undefined, {
        signal: done.signal,
      });
      if (!connection.isAlive) throw new Error('it stopped responding');
    }
    throw new Error(`no response within ${RESPONSE_TIMEOUT_MS / 1_000} s`);
  })();
  silence.catch(() => undefined);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, silence]);
  } finally {
    done.abort();
  }
}
