import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Position, position } from '../../domain/core/brands.ts';
import type { LogBreak } from '../../eventLog/continuity.ts';
import { startThread } from '../../lib/threads/startThread.ts';
import { queryOnThread } from '../queryThread.ts';
import { portsOver, type ReadModels } from '../readModels.ts';
import { ReadModelUnavailable } from '../readModelUnavailable.ts';
import type { ReadModelsThread, RemadeBecause } from './readModelsProtocol.ts';

export interface SqliteReadModelsOptions {
  /** The folder of `readmodels.sqlite`, which may be deleted at any time. */
  readonly folder: string;
  /** The file of the SQLite event log. */
  readonly logPath: string;
  /** Called once when the read models cannot follow the log; they keep trying. */
  readonly onFailure?: (error: Error) => void;
  /** Called when the file is removed and made again, with the reason, and without one when it is complete. */
  readonly onRemaking?: (reason: RemadeBecause | undefined) => void;
  /** Called with events that do not continue the log before them. */
  readonly onBreak?: (found: LogBreak) => void;
}

const cannotFollow = (failure: string) =>
  `Request log, usage and history do not follow the event log, which svc tries again: ${failure}`;

const WORKER = new URL('./readModelsWorker.ts', import.meta.url);

/** Read models in a thread and a file of their own, projected from the log's file, at no cost for requests. */
export function createSqliteReadModels({
  folder,
  logPath,
  onFailure,
  onRemaking,
  onBreak,
}: SqliteReadModelsOptions): ReadModels {
  mkdirSync(folder, { recursive: true });
  let isClosed = false;
  let announced: Position = position(0);
  /** The thread begins by catching up. */
  let isCatchingUp = true;
  let lastFailure: string | undefined;
  let whyEnded: string | undefined;

  const thread = startThread<ReadModelsThread>(WORKER, {
    name: 'read models',
    // Half of the default: most of its objects live as long as a batch of events.
    resourceLimits: { maxYoungGenerationSizeMb: 12 },
    options: () => ({ path: join(folder, 'readmodels.sqlite'), logPath }),
    restart: 'with the next message',
    onEnd(error) {
      isCatchingUp = false;
      whyEnded = error?.message.replace(/\.$/, '');
      if (error) onFailure?.(error);
    },
    reports: {
      remaking: (reason) => onRemaking?.(reason),
      broken: (found) => onBreak?.(found),
      caughtUp({ position: reached, failure }) {
        if (failure !== undefined && failure !== lastFailure)
          onFailure?.(new ReadModelUnavailable(cannotFollow(failure)));
        lastFailure = failure;
        whyEnded = undefined;
        isCatchingUp = false;
        if (failure === undefined) onRemaking?.(undefined);
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
    ...portsOver(queryOnThread(thread, () => whyEnded)),
    close() {
      isClosed = true;
      return thread.stop();
    },
  };
}
