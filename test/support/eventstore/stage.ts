import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { parseConnectionString } from '../../../src/eventLog/eventstore/client/connectionString.ts';
import {
  type EventStore,
  type EventStoreOptions,
  openEventStore,
} from '../../../src/eventLog/eventstore/eventStore.ts';
import { tempFolder } from '../../contract/tempFolder.ts';
import { FakeDatabase } from './database.ts';
import { type FakeEventStore, type FakeEventStoreOptions, startFakeEventStore } from './fakeEventStore.ts';

/** Short, so that tests of waiting do not wait. */
const TIMING = { firstPauseMs: 5, longestPauseMs: 50, silenceMs: 200, replacedAfterMs: 50 };

export interface EventStoreStage {
  readonly server: FakeEventStore;
  readonly database: FakeDatabase;
  /** What the operator was told. */
  readonly said: string[];
  readonly mirrorPath: string;
  /** Opens the log of a node over the server; closed at the end of the test. */
  open(options?: Partial<EventStoreOptions> & { readonly url?: string }): Promise<EventStore>;
  /** Starts a server at the same address over the same database. */
  restart(options?: FakeEventStoreOptions): Promise<FakeEventStore>;
}

/** A fake server and a data folder, gone at the end of the test, in which nothing may be rejected without a handler. */
export async function aStage(serverOptions: FakeEventStoreOptions = {}): Promise<EventStoreStage> {
  const database = serverOptions.database ?? new FakeDatabase();
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => {
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const server = await startFakeEventStore({ ...serverOptions, database });
  onTestFinished(() => server.kill());
  const mirrorPath = join(folder.path, 'mirror.sqlite');
  const said: string[] = [];
  return {
    server,
    database,
    said,
    mirrorPath,
    async open({ url = server.url, ...options } = {}) {
      const store = await openEventStore({
        settings: parseConnectionString(url),
        path: mirrorPath,
        node: 'n1',
        say: (line) => said.push(line),
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
