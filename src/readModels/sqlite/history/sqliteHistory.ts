import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Position, position } from '../../../domain/brands.ts';
import type { HistoryPage, HistoryQueries } from '../../historyQueries.ts';
import { ReadModelUnavailable } from '../../readModelUnavailable.ts';
import type { SqliteReadModelsOptions } from '../sqliteReadModels.ts';
import type { FromHistory, ToHistory } from './historyWorker.ts';

export interface SqliteHistory extends HistoryQueries {
  /** Says that the log holds `position`. Costs a comparison: at most one message is under way. */
  notify(position: Position): void;
  /** Stops the worker; queries under way fail. */
  close(): Promise<void>;
}

interface Pending {
  readonly resolve: (page: HistoryPage) => void;
  readonly reject: (error: Error) => void;
}

/** The history's indexes in a thread and a file of their own, `history.sqlite`, which may be thrown away at any time. */
export function createSqliteHistory({ folder, logPath, onTrouble }: SqliteReadModelsOptions): SqliteHistory {
  const workerData = { path: join(folder, 'history.sqlite'), logPath };
  const pending = new Map<number, Pending>();
  let nextId = 1;
  let isClosed = false;
  let announced = position(0);
  let isTelling = false;
  let lastTrouble: string | undefined;
  let worker: Worker | undefined;

  function start(): Worker {
    const started = new Worker(new URL('./historyWorker.ts', import.meta.url), { workerData });
    started.on('message', onMessage);
    started.on('error', (error) => onTrouble?.(error));
    started.on('exit', () => {
      if (worker === started) worker = undefined;
      isTelling = false;
      for (const { reject } of pending.values()) reject(new ReadModelUnavailable('the history has stopped'));
      pending.clear();
    });
    // It begins by catching up, and says so.
    isTelling = true;
    return started;
  }

  function tell(message: ToHistory): void {
    if (isClosed) throw new ReadModelUnavailable('the history is closed');
    worker ??= start();
    worker.postMessage(message);
  }

  function onMessage(message: FromHistory): void {
    if (message.kind === 'caughtUp') {
      if (message.trouble !== undefined && message.trouble !== lastTrouble) {
        onTrouble?.(new ReadModelUnavailable(message.trouble));
      }
      lastTrouble = message.trouble;
      isTelling = false;
      if (announced > message.position && !isClosed) tellNews();
      return;
    }
    const query = pending.get(message.id);
    pending.delete(message.id);
    if (message.kind === 'page') query?.resolve(message.page);
    else query?.reject(new ReadModelUnavailable(message.trouble));
  }

  function tellNews(): void {
    isTelling = true;
    tell({ kind: 'news' });
  }

  worker = start();

  return {
    notify(at) {
      announced = at;
      if (!isTelling && !isClosed) tellNews();
    },
    page: (filter, before, limit, minPosition) =>
      new Promise((resolve, reject) => {
        const id = nextId++;
        tell({ kind: 'page', id, filter, before, limit, minPosition });
        pending.set(id, { resolve, reject });
      }),
    async close() {
      if (isClosed) return;
      const stopping = worker;
      const exited = stopping && new Promise((resolve) => stopping.once('exit', resolve));
      if (stopping) tell({ kind: 'close' });
      isClosed = true;
      await exited;
    },
  };
}
