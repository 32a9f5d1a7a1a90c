import { setTimeout as delay } from 'node:timers/promises';
import { orEndThread, serveThread } from '../../lib/threads/serveThread.ts';
import { openLogReader } from './logReader.ts';
import { createMongoStore } from './mongoStore.ts';
import type { ReadModelsThread } from './readModelsProtocol.ts';

// Program of the thread that projects the log into MongoDB and queries the read models there.

/** Between two notifications of new events. */
const NOTIFY_INTERVAL_MS = 50;

await serveThread<ReadModelsThread>(({ url, fencedBy, logPath, isCopy }, report) => {
  const source = openLogReader(logPath);
  const store = createMongoStore({
    url,
    log: source,
    fencedBy,
    isCopy,
    report: (line) => report('line', line),
    onBreak: (found) => report('broken', found),
  });
  const terms = new Map<number, AbortController>();

  return {
    requests: {
      query: ({ port, name, args, minPosition }) => store.query(port, name, args, minPosition),
      /** The main thread, which holds the lease, notices its loss slightly earlier; in between, the fence rejects our writes. */
      project: orEndThread(async ({ id, epoch }) => {
        const ending = new AbortController();
        const { signal } = ending;
        terms.set(id, ending);
        await store.project({ epoch, signal, isHeld: () => !signal.aborted });
        terms.delete(id);
      }),
    },
    notifications: {
      async logAdvanced() {
        store.notify();
        await delay(NOTIFY_INTERVAL_MS, undefined, { ref: false });
        report('readyForMore');
      },
      termEnded: (id) => terms.get(id)?.abort(),
    },
    async stop() {
      await store.close();
      source.close();
    },
  };
});
