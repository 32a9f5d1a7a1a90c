import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { parseConnectionString } from '../../../src/eventLog/eventstore/client/connectionString.ts';
import {
  type EventStore,
  type EventStoreOptions,
  openEventStore,
} from '../../../src/eventLog/eventstore/eventStore.ts';
import { Faults } from '../../../src/lib/faults.ts';
import { tempFolder } from '../../contract/tempFolder.ts';
import { FakeDatabase } from './fakeDatabase.ts';
import { type FakeEventStore, type FakeEventStoreOptions, startFakeEventStore } from './fakeEventStore.ts';

/** Short times keep the tests fast. */
const TIMING = { firstPauseMs: 5, maxPauseMs: 50, silenceMs: 200, replacedAfterMs: 50 };

export interface EventStoreStage {
  readonly server: FakeEventStore;
  readonly database: FakeDatabase;
  /** The lines that the operator saw. */
  readonly lines: string[];
  readonly faults: Faults;
  readonly mirrorPath: string;
  /** Opens the event store of a node; closed at the end of the test. */
  open(options?: Partial<EventStoreOptions> & { readonly url?: string }): Promise<EventStore>;
  /** Starts a server at the same address over the same database. */
  restart(options?: FakeEventStoreOptions): Promise<FakeEventStore>;
}

/** Starts a fake server and creates a data folder for one test. The test fails on any unhandled rejection. */
export async function aStage(serverOptions: FakeEventStoreOptions = {}): Promise<EventStoreStage> {
  const database = serverOptions.database ?? new FakeDatabase();
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', onUnhandled);
  onTestFinished(() => {
    process.off('unhandledRejection', onUnhandled);
    expect(unhandled).toEqual([]);
  });
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const server = await startFakeEventStore({ ...serverOptions, database });
  onTestFinished(() => server.kill());
  const mirrorPath = join(folder.path, 'mirror.sqlite');
  const lines: string[] = [];
  const faults = new Faults({ print: (line) => lines.push(line), now: Date.now });
  return {
    server,
    database,
    lines,
    faults,
    mirrorPath,
    async open({ url = server.url, ...options } = {}) {
      const store = await openEventStore({
        settings: parseConnectionString(url),
        path: mirrorPath,
        node: 'n1',
        print: (line) => lines.push(line),
        faults,
        appendDeadlineMs: 300,
        firstPauseMs: 20,
        timing: TIMING,
        ...options,
      });
      onTestFinished(() => store.close());
      return store;
    },
    async restart(options = {}) {
      const again = await startFakeEventStore({ database, port: server.port, ...options });
      onTestFinished(() => again.kill());
      return again;
    },
  };
}
