import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { LogReader } from './logReader.ts';
import { Projector } from './projector.ts';
import { createQueryHandlers } from './queryHandlers.ts';
import { isDamaged, openReadModelFile, removeReadModelFile } from './readModelFile.ts';
import type { FromWorker, Query, ToWorker, WorkerOptions } from './readModelsProtocol.ts';

/**
 * News wait this long for more of their kind: a batch of hundreds costs little more than one of ten. After a longer wait a
 * fold under load takes a core for so long that requests queue.
 */
const GATHER_MS = 200;
/** A query waits at most this long for what it wants to see, then answers with what there is. */
const MAX_WAIT_MS = 1_000;
const LOOK_AGAIN_MS = 5;

const { path, logPath } = workerData as WorkerOptions;
const log = new LogReader(logPath);
let database = openReadModelFile(path);
let projector = new Projector(database, log);
let isClosing = false;

const say = (message: FromWorker) => parentPort?.postMessage(message);

parentPort?.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'news':
      void gather();
      return;
    case 'query':
      void answer(message);
      return;
    case 'close':
      isClosing = true;
      database.close();
      log.close();
      parentPort?.close();
  }
});
void catchUp();

async function gather(): Promise<void> {
  await delay(GATHER_MS, undefined, { ref: false });
  await catchUp();
}

async function catchUp(): Promise<void> {
  let trouble: string | undefined;
  try {
    while (!isClosing && mending(() => projector.catchUp())) await nextTurn();
  } catch (error) {
    trouble = (error as Error).message;
  }
  if (!isClosing) say({ kind: 'caughtUp', position: projector.position, trouble });
}

async function answer({ id, port, name, args, minPosition }: Query): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  try {
    while (projector.position < minPosition && performance.now() < deadline) {
      const hasMore = mending(() => projector.catchUp());
      if (projector.position >= minPosition) break;
      await (hasMore ? nextTurn() : delay(LOOK_AGAIN_MS));
      if (isClosing) return;
    }
    say({ kind: 'answer', id, answer: mending(() => query(port, name, args)) });
  } catch (error) {
    say({ kind: 'failed', id, trouble: (error as Error).message });
  }
}

function query(port: Query['port'], name: string, args: readonly unknown[]): unknown {
  const queries = createQueryHandlers(database, projector, log)[port] as Record<
    string,
    (...args: unknown[]) => unknown
  >;
  return queries[name]?.(...args);
}

/** A file that turns out to be damaged is made again from the log. */
function mending<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!isDamaged(error)) throw error;
    database.close();
    removeReadModelFile(path);
    database = openReadModelFile(path);
    projector = new Projector(database, log);
    return work();
  }
}
