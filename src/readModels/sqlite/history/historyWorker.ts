import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Position } from '../../../domain/brands.ts';
import type { HistoryFilter, HistoryPage } from '../../historyQueries.ts';
import { isDamaged, openReadModelFile, removeReadModelFile } from '../readModelFile.ts';
import { HistoryLog } from './historyLog.ts';
import { historyPage } from './historyPage.ts';
import { HistoryStore } from './historyStore.ts';

export type ToHistory =
  | { readonly kind: 'news' }
  | {
      readonly kind: 'page';
      readonly id: number;
      readonly filter: HistoryFilter;
      readonly before: Position | null;
      readonly limit: number;
      readonly minPosition: Position;
    }
  | { readonly kind: 'close' };

export type FromHistory =
  | { readonly kind: 'caughtUp'; readonly position: Position; readonly trouble: string | undefined }
  | { readonly kind: 'page'; readonly id: number; readonly page: HistoryPage }
  | { readonly kind: 'failed'; readonly id: number; readonly trouble: string };

/** Nobody waits for the history: a second's events together cost little more than one. */
const GATHER_MS = 1_000;
const MAX_WAIT_MS = 1_000;
const LOOK_AGAIN_MS = 5;

const { path, logPath } = workerData as { path: string; logPath: string };
const log = new HistoryLog(logPath);
let store = new HistoryStore(openReadModelFile(path), log);
let isClosing = false;

const say = (message: FromHistory) => parentPort?.postMessage(message);

parentPort?.on('message', (message: ToHistory) => {
  switch (message.kind) {
    case 'news':
      void delay(GATHER_MS, undefined, { ref: false }).then(follow);
      return;
    case 'page':
      void answer(message);
      return;
    case 'close':
      isClosing = true;
      store.database.close();
      log.close();
      parentPort?.close();
  }
});
void follow();

async function follow(): Promise<void> {
  let trouble: string | undefined;
  try {
    while (!isClosing && mending(catchUp)) await nextTurn();
  } catch (error) {
    trouble = (error as Error).message;
  }
  if (!isClosing) say({ kind: 'caughtUp', position: store.position, trouble });
}

async function answer({ id, filter, before, limit, minPosition }: Extract<ToHistory, { kind: 'page' }>): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  try {
    let hasMore = mending(catchUp);
    while (store.position < minPosition && performance.now() < deadline) {
      await (hasMore ? nextTurn() : delay(LOOK_AGAIN_MS));
      if (isClosing) return;
      hasMore = mending(catchUp);
    }
    say({ kind: 'page', id, page: mending(() => historyPage(store, log, filter, before, limit)) });
  } catch (error) {
    say({ kind: 'failed', id, trouble: (error as Error).message });
  }
}

function catchUp(): boolean {
  if (!store.stillHolds) startOver();
  return store.catchUp();
}

function startOver(): void {
  store.database.close();
  removeReadModelFile(path);
  store = new HistoryStore(openReadModelFile(path), log);
}

/** A file that turns out to be damaged is made again from the log. */
function mending<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!isDamaged(error)) throw error;
    startOver();
    return work();
  }
}
