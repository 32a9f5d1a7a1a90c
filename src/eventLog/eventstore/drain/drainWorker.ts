import { serveThread } from '../../../lib/threads/serveThread.ts';
import { startDrainer } from '../../outbox/drainer.ts';
import { openOutboxReader } from '../../outbox/outboxReader.ts';
import { openConnection } from '../client/connection.ts';
import { appendUnchanged } from '../eventStoreReplicationTarget.ts';
import { openMirrorLookup } from '../mirror/mirrorLookup.ts';
import { confirmStore } from '../mirror/resumePoint.ts';
import type { DrainThread } from './drainProtocol.ts';

// Program of the thread that moves events from the outbox to EventStoreDB: encoding two hundred events takes ten
// milliseconds, during which the main thread would serve no request.

await serveThread<DrainThread>(({ path, settings, mirrorPath, drained }, report, ask) => {
  const lookup = openMirrorLookup(mirrorPath);
  const connection = openConnection(settings, confirmStore(lookup.knownStore));
  const reader = openOutboxReader(path);
  const drainer = startDrainer({
    from: reader,
    to: {
      append: (events) => appendUnchanged(connection, events),
      countWritten: (stream, ids) => ask('countWritten', { stream, ids }),
    },
    drained,
    onDrained: (events) => report('drained', events),
    park: (refused) => ask('park', refused),
    onTrouble: (trouble) => report('trouble', trouble),
    onRecovered: (stream) => report('recovered', stream),
    onHidden: (stream) => report('hidden', stream),
    // Ends the thread; its owner starts another one.
    onFailure: (error) =>
      queueMicrotask(() => {
        throw error;
      }),
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
