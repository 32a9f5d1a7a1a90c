import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Position, position } from '../../domain/core/brands.ts';
import { type Ask, portsOver, type ReadModels } from '../readModels.ts';
import { ReadModelUnavailable } from '../readModelUnavailable.ts';
import type { FromWorker, ToWorker, WorkerOptions } from './readModelsProtocol.ts';

export interface SqliteReadModelsOptions {
  /** Gets `readmodels.sqlite`, which may be thrown away at any time. */
  readonly folder: string;
  /** The file of the SQLite event log. */
  readonly logPath: string;
  /** Told once when the read models cannot follow the log; they go on trying. */
  readonly onTrouble?: (error: Error) => void;
}

interface Pending {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** Read models in a thread and a file of their own, made from the log's file: requests pay nothing for them. */
export function createSqliteReadModels({ folder, logPath, onTrouble }: SqliteReadModelsOptions): ReadModels {
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
    const started = new Worker(new URL('./readModelsWorker.ts', import.meta.url), { workerData });
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

  const ask: Ask = (port, name, args, minPosition) =>
    new Promise((resolve, reject) => {
      const id = nextId++;
      tell({ kind: 'query', id, port, name, args, minPosition });
      pending.set(id, { resolve: resolve as Pending['resolve'], reject });
    });

  worker = start();

  return {
    notify(at) {
      announced = at;
      if (!isTelling && !isClosed) tellNews();
    },
    ...portsOver(ask),
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
