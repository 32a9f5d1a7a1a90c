import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { openLogReader } from './logReader.ts';
import { createMongoStore } from './mongoStore.ts';
import type { FromWorker, ToWorker, WorkerOptions } from './readModelsProtocol.ts';

/** News are told no more often. */
const NEWS_EVERY_MS = 50;

const { url, fencedBy, logPath, isCopy } = workerData as WorkerOptions;
const say = (message: FromWorker) => parentPort?.postMessage(message);

const source = openLogReader(logPath);
const store = createMongoStore({ url, source, fencedBy, isCopy, say: (line) => say({ kind: 'say', line }) });
const tenures = new Map<number, AbortController>();

parentPort?.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'news':
      store.notify();
      void delay(NEWS_EVERY_MS, undefined, { ref: false }).then(() => say({ kind: 'newsTaken' }));
      return;
    case 'query':
      void answer(message);
      return;
    case 'tenure':
      void project(message.id, message.epoch);
      return;
    case 'tenureOver':
      tenures.get(message.id)?.abort();
      return;
    case 'close':
      void close();
  }
});

async function answer({ id, port, name, args, minPosition }: Extract<ToWorker, { kind: 'query' }>): Promise<void> {
  try {
    say({ kind: 'answer', id, answer: await store.answer(port, name, args, minPosition) });
  } catch (error) {
    say({ kind: 'failed', id, trouble: (error as Error).message });
  }
}

/** What was lost meanwhile is known a moment later here than in the thread that has the lease: the epoch keeps us out. */
async function project(id: number, epoch: number): Promise<void> {
  const ending = new AbortController();
  tenures.set(id, ending);
  await store.project({ epoch, signal: ending.signal, isHeld: () => !ending.signal.aborted });
  tenures.delete(id);
  say({ kind: 'projected', id });
}

async function close(): Promise<void> {
  await store.close();
  source.close();
  parentPort?.close();
}
