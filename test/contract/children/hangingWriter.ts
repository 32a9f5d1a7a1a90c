import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import type { Position } from '../../../src/domain/core/brands.ts';
import { unpackBatch } from '../../../src/eventLog/sqlite/batchText.ts';
import { createBatchWriter } from '../../../src/eventLog/sqlite/batchWriter.ts';
import { openForWriting } from '../../../src/eventLog/sqlite/database.ts';
import type { WriterThread } from '../../../src/eventLog/sqlite/writerProtocol.ts';
import { serveThread } from '../../../src/lib/threads/serveThread.ts';

// A writer thread that reports no end of an append while a file exists, as on a disk that confirms no sync.

const { path } = workerData as WriterThread['options'];

await serveThread<WriterThread>(() => {
  const database = openForWriting({ path });
  const write = createBatchWriter(database);
  const confirmed = async () => {
    while (existsSync(`${path}.hangs`)) await delay(2);
  };
  return {
    ready: { head: 0 as Position },
    requests: {
      async commit(batch) {
        await confirmed();
        return write(unpackBatch(batch));
      },
      probe: confirmed,
      park: () => {
        throw new Error('not an outbox');
      },
      removeRows: confirmed,
      restoreRows: confirmed,
    },
    notifications: { prune: () => undefined },
    stop: () => database.close(),
  };
});
