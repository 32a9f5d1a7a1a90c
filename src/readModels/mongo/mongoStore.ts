import { setTimeout as delay } from 'node:timers/promises';
import type { Position } from '../../domain/core/brands.ts';
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
  readonly source: LogReader;
  /** Names whoever gives out tenures: epochs of one are of no meaning to another. */
  readonly fencedBy: string;
  /** The source may be behind what other nodes made the read models from; otherwise nothing can be ahead of it. */
  readonly isCopy?: boolean;
  /** Takes one line for the operator. */
  readonly say: (line: string) => void;
  readonly batchEvents?: number;
  /** Milliseconds, for what is told only when it lasts; `performance.now` when absent. */
  readonly now?: () => number;
}

/** Read models in MongoDB, as one thread has them: it answers queries, and makes them while it has a tenure. */
export interface MongoStore {
  /** @throws ReadModelUnavailable */
  readonly query: RunQuery;
  /** Says that the log holds something new. */
  notify(): void;
  /** Resolves soon after the tenure is over. */
  project(tenure: LeaseTerm): Promise<void>;
  close(): Promise<void>;
}

/** A query waits at most this long for what it wants to see, then answers with what there is. */
const MAX_WAIT_MS = 1_000;
const POLL_INTERVAL_MS = 20;
/** Whoever has waited this long for a server that does not answer its heartbeats is told so. */
const MIN_SILENCE_MS = 2_000;
/** For a server that answers them and is slow. */
const RESPONSE_TIMEOUT_MS = 30_000;
const LIVENESS_INTERVAL_MS = 100;

/** @throws Error for a URL that cannot be used */
export function createMongoStore(options: MongoStoreOptions): MongoStore {
  const { url, source, fencedBy, isCopy = false, say, batchEvents, now } = options;
  const connection = connect(url);
  const { db, hosts, open, close } = connection;
  const generations = new Generations(db);
  const readers = new ActiveGeneration(generations);
  const outage = new FailureReporter(hosts, say, now);
  const [news, urgent] = [new AutoResetEvent(), new AutoResetEvent()];
  const closing = new AbortController();
  const projecting = new Set<Promise<void>>();
  let onReached: (() => void) | undefined;

  /** Until then nobody may have noticed that nobody answers. */
  async function greet(): Promise<void> {
    while (!closing.signal.aborted && projecting.size === 0) {
      try {
        await open();
        await db.command({ ping: 1 });
        if (projecting.size === 0) outage.onSuccess();
        return;
      } catch (error) {
        if (closing.signal.aborted || projecting.size > 0) return;
        await sleep(outage.onFailure(error as Error), closing.signal);
      }
    }
  }

  async function reach(minPosition: Position): Promise<ReadView> {
    const deadline = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const known = await readers.current();
      if (known.position >= minPosition) return known;
      if (performance.now() >= deadline) {
        if (projecting.size > 0 && outage.blockedReason !== undefined)
          throw new ReadModelUnavailable(outage.blockedReason);
        return known;
      }
      if (projecting.size > 0) {
        news.set();
        urgent.set();
        await nextStep();
      } else if ((await readers.refresh()).position < minPosition) {
        await delay(POLL_INTERVAL_MS);
      }
    }
  }

  const nextStep = () =>
    Promise.race([
      new Promise<void>((resolve) => (onReached = resolve)),
      delay(POLL_INTERVAL_MS, undefined, { ref: false }),
    ]);

  const answer: RunQuery = async (port, name, args, minPosition) => {
    await open();
    const queries = createQueryHandlers(await reach(minPosition))[port] as Record<
      string,
      (...args: unknown[]) => unknown
    >;
    return queries[name]?.(...args);
  };

  void greet();

  return {
    async query(...query) {
      if (closing.signal.aborted) throw new ReadModelUnavailable('the read models are closed');
      try {
        return await whileAlive(connection, answer(...query));
      } catch (error) {
        if (error instanceof ReadModelUnavailable) throw error;
        throw new ReadModelUnavailable(`MongoDB at ${hosts}: ${(error as Error).message}`, { cause: error });
      }
    },
    notify: () => news.set(),
    async project(tenure) {
      const signal = AbortSignal.any([tenure.signal, closing.signal]);
      const both: LeaseTerm = { epoch: tenure.epoch, signal, isHeld: () => !signal.aborted && tenure.isHeld() };
      const making = { open, generations, readers, source, fencedBy, isCopy, outage, news, urgent };
      const ending = projectDuringTerm(
        { ...making, onReached: () => onReached?.(), ...(batchEvents && { batchEvents }) },
        both,
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

/** @throws Error when the server has fallen silent, or takes too long */
async function whileAlive<Value>(connection: Connection, work: Promise<Value>): Promise<Value> {
  const patience = new AbortController();
  const silence = (async () => {
    for (let waitedMs = MIN_SILENCE_MS; waitedMs < RESPONSE_TIMEOUT_MS; waitedMs += LIVENESS_INTERVAL_MS) {
      await delay(waitedMs === MIN_SILENCE_MS ? MIN_SILENCE_MS : LIVENESS_INTERVAL_MS, undefined, {
        signal: patience.signal,
      });
      if (!connection.isAlive) throw new Error('it has fallen silent');
    }
    throw new Error(`no answer within ${RESPONSE_TIMEOUT_MS / 1_000} s`);
  })();
  silence.catch(() => undefined);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, silence]);
  } finally {
    patience.abort();
  }
}
