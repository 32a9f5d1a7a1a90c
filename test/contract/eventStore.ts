import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { disposeClient, openClient } from '../../src/eventLog/eventstore/client/client.ts';
import {
  type ConnectionSettings,
  parseConnectionString,
} from '../../src/eventLog/eventstore/client/connectionString.ts';
import { type EventStore, openEventStore } from '../../src/eventLog/eventstore/eventStore.ts';
import { Faults } from '../../src/lib/faults.ts';
import { openSharedVault } from '../../src/vault/sharedVault.ts';
import { describeCheckpointStream } from './checkpointStream.ts';
import { describeEventLog } from './eventLog.ts';
import { describeLeaseStreams } from './leaseStreams.ts';
import { describeReplicationTarget } from './replicationTarget.ts';
import { tempFolder } from './tempFolder.ts';
import { describeVault } from './vault.ts';

/** A server for one test, or one that several tests share. */
export interface ServerUnderTest extends AsyncDisposable {
  readonly url: string;
  /** The master key that all tests of a shared server use. */
  readonly masterKey?: string;
}

/** The contracts of all ports that have an EventStoreDB adapter, run against one kind of server. */
export function describeEventStore(name: string, createServer: () => Promise<ServerUnderTest>): void {
  async function aStage() {
    const server = await createServer();
    const folder = await tempFolder();
    const settings = parseConnectionString(server.url);
    const path = join(folder.path, 'mirror.sqlite');
    return {
      settings,
      masterKey: server.masterKey ?? randomBytes(32).toString('base64'),
      open: () =>
        openEventStore({
          settings,
          path,
          node: 'test',
          print: () => {},
          faults: new Faults({ print: () => {}, now: Date.now }),
        }),
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]();
        await folder[Symbol.asyncDispose]();
      },
    };
  }

  async function anOpenStage() {
    const stage = await aStage();
    const store: EventStore = await stage.open();
    return {
      ...store,
      async [Symbol.asyncDispose]() {
        await store.close();
        await stage[Symbol.asyncDispose]();
      },
    };
  }

  describeEventLog(name, async () => {
    const stage = await aStage();
    return {
      open: async () => (await stage.open()).log,
      writeUnknownType: (stream) => writeUnknownType(stream, stage.settings),
      [Symbol.asyncDispose]: stage[Symbol.asyncDispose],
    };
  });
  describeLeaseStreams(name, anOpenStage);
  describeCheckpointStream(name, anOpenStage);
  describeReplicationTarget(name, anOpenStage);
  describeVault(name, async () => {
    const stage = await aStage();
    return {
      async open(masterKey = stage.masterKey) {
        const store = await stage.open();
        try {
          const vault = await openSharedVault({ streams: store.keys, masterKey, report: () => {} });
          return { ...vault, close: () => void store.close().then(vault.close) };
        } catch (error) {
          await store.close();
          throw error;
        }
      },
      [Symbol.asyncDispose]: stage[Symbol.asyncDispose],
    };
  });
}

async function writeUnknownType(stream: string, settings: ConnectionSettings): Promise<void> {
  const client = openClient(settings);
  const metadata = { time: 0, schemaVersion: 1 };
  const event = jsonEvent({ id: randomUUID(), type: 'InventedLater', data: {}, metadata });
  await client.appendToStream(stream, event, { expectedRevision: NO_STREAM });
  await disposeClient(client);
}
