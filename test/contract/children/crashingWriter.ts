import { existsSync, writeFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { position } from '../../../src/domain/core/brands.ts';
import { unpackBatch } from '../../../src/eventLog/sqlite/batchText.ts';
import { createBatchWriter } from '../../../src/eventLog/sqlite/batchWriter.ts';
import { openForWriting } from '../../../src/eventLog/sqlite/database.ts';
import type { WriterThread } from '../../../src/eventLog/sqlite/writerProtocol.ts';
import { serveThread } from '../../../src/lib/threads/serveThread.ts';

// A writer thread that commits its first batch and dies before it reports the outcomes. Its successor is the real writer.

const { path } = workerData as WriterThread['options'];

if (existsSync(`${path}.died`)) await import('../../../src/eventLog/sqlite/writer.ts');
else {
  const die = () => {
    writeFileSync(`${path}.died`, '');
    return process.exit(1);
  };
  await serveThread<WriterThread>(() => {
    const write = createBatchWriter(openForWriting({ path }));
    return {
      ready: { head: position(0) },
      requests: {
        commit: (batch) => {
          write(unpackBatch(batch));
          return die();
        },
        park: die,
        removeRows: die,
        restoreRows: die,
        probe: die,
      },
      notifications: { prune: die },
      stop: die,
    };
  });
}
