import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Position } from '../../domain/core/brands.ts';
import { unpackBatch } from './batchText.ts';
import { batchWriter } from './batchWriter.ts';
import { openForWriting, type WritableOptions } from './database.ts';
import { forget } from './forget.ts';
import type { FromWriter, ToWriter } from './wire.ts';

// The worker thread of the embedded log: one message is one transaction, answered by one message.

const port = parentPort as MessagePort;
const answer = (message: FromWriter): void => port.postMessage(message);

try {
  serve(workerData as WritableOptions);
} catch (error) {
  answer({ kind: 'failed', message: (error as Error).message });
  port.close();
}

function serve(options: WritableOptions): void {
  const database = openForWriting(options);
  const write = batchWriter(database);
  const { head } = database.prepare('SELECT coalesce(max(position), 0) AS head FROM events').get() as {
    head: Position;
  };
  port.on('message', (message: ToWriter) => {
    if (message === 'close') {
      database.close();
      port.close();
      return;
    }
    if ('batch' in message) answer({ kind: 'settled', outcomes: write(unpackBatch(message.batch)) });
    else forget(database, message.forget);
  });
  answer({ kind: 'started', head });
}
