import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { eventRows } from '../../eventLog/sqlite/eventRows.ts';
import { PagePacker } from './packPage.ts';
import type { FromPageThread, ToPageThread } from './pageThread.ts';

// A thread that reads pages of a log for a fold on another one. It imports little, because a start waits for it.

const port = parentPort as MessagePort;
const answer = (message: FromPageThread, moved: ArrayBuffer[] = []) => port.postMessage(message, moved);
const rows = eventRows(openForReading(workerData as string));
const packer = new PagePacker();

port.on('message', ([after, upTo]: ToPageThread) => {
  const page = packer.pack(rows(after, upTo));
  answer(page, [page.numbers.buffer]);
});
answer('ready');
