import { toErrorData } from '../../../lib/threads/errors.ts';
import { serveThread } from '../../../lib/threads/serveThread.ts';
import { startDrainer } from '../../outbox/drainer.ts';
import { readAllEvents } from '../../sqlite/readEvents.ts';
import { createReader } from '../../sqlite/reader.ts';
import { openConnection } from '../client/connection.ts';
import { createEventStoreReplicationTarget } from '../eventStoreReplicationTarget.ts';
import { openMirrorLookup } from '../mirror/mirrorLookup.ts';
import { confirmStore } from '../mirror/resumePoint.ts';
import type { DrainThread } from './drainProtocol.ts';

// Program of the thread that moves events from the outbox to EventStoreDB: encoding two hundred events takes ten
// milliseconds, during which the main thread would serve no request.

await serveThread<DrainThread>(({ path, settings, mirrorPath, after }, report) => {
  const lookup = openMirrorLookup(mirrorPath);
  const connection = openConnection(settings, confirmStore(lookup.knownStore));
  const reader = createReader(path);
  const drainer = startDrainer({
    from: { readAll: (from) => readAllEvents(reader, from, reader.head()) },
    to: createEventStoreReplicationTarget(connection),
    after,
    onDrained: (drained) => report('drained', drained),
    report: (message) =>
      typeof message === 'string' ? report('unblocked', message) : report('blocked', toErrorData(message)),
  });
  return {
    notifications: { wake: () => drainer.wake() },
    async stop(timeoutMs = 0) {
      await drainer.stop(timeoutMs);
      reader.close();
      await connection.close();
      lookup.close();
    },
  };
});
