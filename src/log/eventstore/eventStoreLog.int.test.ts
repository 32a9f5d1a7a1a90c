import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { describeEventLog, type StoreUnderTest } from '../../../test/contract/eventLog.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { startFakeEventStore } from '../../../test/support/eventstore/fakeEventStore.ts';
import { disposeOf, openClient } from './client.ts';
import { parseConnectionString } from './connectionString.ts';
import { openEventStoreLog } from './eventStoreLog.ts';

describeEventLog('fake EventStoreDB', async (): Promise<StoreUnderTest> => {
  const server = await startFakeEventStore();
  const folder = await tempFolder();
  const settings = parseConnectionString(server.url);
  return {
    open: () => openEventStoreLog({ settings, path: join(folder.path, 'mirror.sqlite'), node: 'test', say: () => {} }),
    async writeUnknownType(stream) {
      const client = openClient(settings);
      const metadata = { time: 0, schemaVersion: 1 };
      const event = jsonEvent({ id: randomUUID(), type: 'InventedLater', data: {}, metadata });
      await client.appendToStream(stream, event, { expectedRevision: NO_STREAM });
      await disposeOf(client);
    },
    async [Symbol.asyncDispose]() {
      await server.kill();
      await folder[Symbol.asyncDispose]();
    },
  };
});
