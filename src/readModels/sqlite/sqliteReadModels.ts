import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Position, position } from '../../domain/core/brands.ts';
import { startThread } from '../../lib/threads/startThread.ts';
import { queryOnThread } from '../queryThread.ts';
import { portsOver, type ReadModels } from '../readModels.ts';
import { ReadModelUnavailable } from '../readModelUnavailable.ts';
import type { ReadModelsThread } from './readModelsProtocol.ts';

export interface SqliteReadModelsOptions {
  /** Gets `readmodels.sqlite`, which may be thrown away at any time. */
  readonly folder: string;
  /** The file of the SQLite event log. */
  readonly logPath: string;
  /** Told once when the read models cannot follow the log; they go on trying. */
  readonly onFailure?: (error: Error) => void;
}

const WORKER = new URL('./readModelsWorker.ts', import.meta.url);

/** Read models in a thread and a file of their own, made from the log's file: requests pay nothing for them. */
export function createSqliteReadModels({ folder, logPath, onFailure: onTrouble }: SqliteReadModelsOptions): ReadModels {
  mkdirSync(folder, { recursive: true });
  let isClosed = false;
  let announced: Position = position(0);
  /** The thread begins by catching up. */
  let isCatchingUp = true;
  let lastTrouble: string | undefined;

  const thread = startThread<ReadModelsThread>(WORKER, {
    name: 'read models',
    options: () => ({ path: join(folder, 'readmodels.sqlite'), logPath }),
    restart: 'with the next message',
    onEnd(error) {
      isCatchingUp = false;
      if (error) onTrouble?.(error);
    },
    reports: {
      caughtUp({ position: reached, trouble }) {
        if (trouble !== undefined && trouble !== lastTrouble) onTrouble?.(new ReadModelUnavailable(trouble));
        lastTrouble = trouble;
        isCatchingUp = false;
        if (announced > reached && !isClosed) catchUp();
      },
    },
  });

  function catchUp(): void {
    isCatchingUp = true;
    thread.notify('logAdvanced');
  }

  return {
    notify(at) {
      announced = at;
      if (!isCatchingUp && !isClosed) catchUp();
    },
    ...portsOver(queryOnThread(thread)),
    close() {
      isClosed = true;
      return thread.stop();
    },
  };
}
