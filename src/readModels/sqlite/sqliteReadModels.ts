import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Position, position } from '../../domain/brands.ts';
import type { HistoryQueries } from '../historyQueries.ts';
import { ReadModelUnavailable } from '../readModelUnavailable.ts';
import type { RequestLogQueries } from '../requestLogQueries.ts';
import type { RequestTotalsQueries } from '../requestTotalsQueries.ts';
import type { UsageTrendsQueries } from '../usageTrendsQueries.ts';
import type { Answers, FromWorker, ToWorker, WorkerOptions } from './wire.ts';

export interface SqliteReadModelsOptions {
  /** Gets `readmodels.sqlite`, which may be thrown away at any time. */
  readonly folder: string;
  /** The file of the SQLite event log. */
  readonly logPath: string;
  /** Told once when the read models cannot follow the log; they go on trying. */
  readonly onTrouble?: (error: Error) => void;
}

export interface SqliteReadModels {
  readonly requestLog: RequestLogQueries;
  readonly requestTotals: RequestTotalsQueries;
  readonly usageTrends: UsageTrendsQueries;
  readonly history: HistoryQueries;
  /** Says that the log holds `position`. Costs a comparison: at most one message is under way. */
  notify(position: Position): void;
  /** Stops the worker; queries under way fail. */
  close(): Promise<void>;
}

interface Pending {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** Read models in a thread and a file of their own, made from the log's file: requests pay nothing for them. */
export function createSqliteReadModels({ folder, logPath, onTrouble }: SqliteReadModelsOptions): SqliteReadModels {
  mkdirSync(folder, { recursive: true });
  const workerData: WorkerOptions = { path: join(folder, 'readmodels.sqlite'), logPath };
  const pending = new Map<number, Pending>();
  let nextId = 1;
  let worker: Worker | undefined;
  let isClosed = false;
  let announced: Position = position(0);
  let isTelling = false;
  let lastTrouble: string | undefined;

  function start(): Worker {
    const started = new Worker(new URL('./worker.ts', import.meta.url), { workerData });
    started.on('message', onMessage);
    started.on('error', (error) => onTrouble?.(error));
    started.on('exit', () => {
      if (worker === started) worker = undefined;
      isTelling = false;
      for (const { reject } of pending.values()) reject(new ReadModelUnavailable('the read models have stopped'));
      pending.clear();
    });
    // It begins by catching up, and says so.
    isTelling = true;
    return started;
  }

  function tell(message: ToWorker): void {
    if (isClosed) throw new ReadModelUnavailable('the read models are closed');
    worker ??= start();
    worker.postMessage(message);
  }

  function onMessage(message: FromWorker): void {
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
    if (message.kind === 'answer') query?.resolve(message.answer as never);
    else query?.reject(new ReadModelUnavailable(message.trouble));
  }

  function tellNews(): void {
    isTelling = true;
    tell({ kind: 'news' });
  }

  /** The query of this name; its last argument is the position that the answer has to hold. */
  const ask =
    <Port extends keyof Answers>(port: Port, name: keyof Answers[Port] & string) =>
    <Answer>(...given: unknown[]): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const id = nextId++;
        tell({ kind: 'query', id, port, name, args: given.slice(0, -1), minPosition: given.at(-1) as Position });
        pending.set(id, { resolve, reject });
      });

  worker = start();

  return {
    notify(at) {
      announced = at;
      if (!isTelling && !isClosed) tellNews();
    },
    requestLog: {
      page: ask('requestLog', 'page'),
      options: ask('requestLog', 'options'),
      models: ask('requestLog', 'models'),
    },
    requestTotals: { since: ask('requestTotals', 'since') },
    usageTrends: { since: ask('usageTrends', 'since'), ofAccount: ask('usageTrends', 'ofAccount') },
    history: { page: ask('history', 'page') },
    async close() {
      if (isClosed) return;
      const stopping = worker;
      if (stopping) {
        const exited = new Promise((resolve) => stopping.once('exit', resolve));
        tell({ kind: 'close' });
        isClosed = true;
        await exited;
      }
      isClosed = true;
    },
  };
}
