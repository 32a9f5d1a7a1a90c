import { existsSync, writeFileSync } from 'node:fs';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { unpackBatch } from '../../../src/eventLog/sqlite/batchText.ts';
import { batchWriter } from '../../../src/eventLog/sqlite/batchWriter.ts';
import { openForWriting } from '../../../src/eventLog/sqlite/database.ts';
import type { ToWriter } from '../../../src/eventLog/sqlite/wire.ts';

// A writer thread that commits its first batch and dies before it answers. Started again, it is the real one.

const { path } = workerData as { path: string };

if (existsSync(`${path}.died`)) await import('../../../src/eventLog/sqlite/writer.ts');
else {
  const write = batchWriter(openForWriting({ path }));
  const port = parentPort as MessagePort;
  port.on('message', (message: ToWriter) => {
    if (message !== 'close' && 'batch' in message) write(unpackBatch(message.batch));
    writeFileSync(`${path}.died`, '');
    process.exit(1);
  });
  port.postMessage({ kind: 'started', head: 0 });
}
