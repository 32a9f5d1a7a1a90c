import { parentPort, workerData } from 'node:worker_threads';
import { startDrainer } from '../../outbox/drainer.ts';
import { allEvents } from '../../sqlite/readEvents.ts';
import { createReader } from '../../sqlite/reader.ts';
import { openConnection } from '../client/connection.ts';
import { createEventStoreReplicationTarget } from '../eventStoreReplicationTarget.ts';
import type { DrainOrder, FromDrain, ToDrain } from './drainProtocol.ts';

// The thread that brings what the outbox holds to EventStoreDB: encoding two hundred events takes ten milliseconds, in which
// no request would be served.

const { path, settings, after } = workerData as DrainOrder;
const connection = openConnection(settings);
const reader = createReader(path);
const say = (message: FromDrain): void => parentPort?.postMessage(message);

const drainer = startDrainer({
  from: { readAll: (from) => allEvents(reader, from, reader.head()) },
  to: createEventStoreReplicationTarget(connection),
  after,
  onDrained: (drained) => say({ kind: 'drained', ...drained }),
  report: (what) =>
    typeof what === 'string'
      ? say({ kind: 'released', message: what })
      : say({ kind: 'held', name: what.name, message: what.message }),
});

parentPort?.on('message', async (message: ToDrain) => {
  if (message.kind === 'news') return drainer.wake();
  await drainer.stop(message.patienceMs);
  reader.close();
  await connection.close();
  parentPort?.close();
});
