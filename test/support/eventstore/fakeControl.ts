import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeDatabase, type FakeRecord, type StreamMetadata } from './fakeDatabase.ts';
import type { FakeEventStore } from './fakeEventStore.ts';

/** An event that is on the disk of a fake server, whether a reader can see it or not. */
export interface StoredRecord extends Pick<FakeRecord, 'stream' | 'id' | 'type'> {
  readonly revision: number;
  /** JSON. */
  readonly data: string;
}

/**
 * What a test does to a fake server and sees of it, the same for one in the process of the test (`controlOf`) and for one
 * in a process of its own (`spawnFakeEventStore`). All of it works whether the server runs or not.
 */
export interface FakeControl {
  /** Events of the streams whose names begin with a prefix, hidden ones included; without system events. */
  records(prefix?: string): Promise<readonly StoredRecord[]>;
  softDelete(stream: string): Promise<void>;
  tombstone(stream: string): Promise<void>;
  /** Sets `$maxCount`, `$maxAge` and `$tb` of a stream. */
  setMetadata(stream: string, metadata: StreamMetadata): Promise<void>;
  scavenge(): Promise<void>;
  /** Lets time pass for `$maxAge`. */
  passTime(ms: number): Promise<void>;
  /** Makes writes fail for lack of room; the server ends itself soon after the first. */
  fillDisk(): Promise<void>;
  freeDisk(): Promise<void>;
  /** Resets all connections, as a client finds them that was frozen for 20 s. */
  resetConnections(): Promise<void>;
  isRunning(): Promise<boolean>;
  /** Ends the server as SIGKILL does. */
  kill(): Promise<void>;
  /** Ends the server as SIGTERM does. */
  terminate(): Promise<void>;
  start(): Promise<void>;
  /** Keeps a copy of the data under a name, for `swapData`. */
  backUp(name: string): Promise<void>;
  /**
   * Ends the server and starts it over the data of a name: a backup, or another installation's, empty when the name is
   * new. The data that it was started with are called `main`.
   */
  swapData(name: string): Promise<void>;
}

export function controlOf(fake: FakeEventStore): FakeControl {
  const data = new Map<string, FakeDatabase>([['main', fake.database]]);
  return {
    async records(prefix = '') {
      const isWanted = ({ stream, type }: FakeRecord) =>
        stream.startsWith(prefix) && !stream.startsWith('$') && !type.startsWith('$');
      return fake.database.log.filter(isWanted).map(toStored);
    },
    async softDelete(stream) {
      fake.database.softDelete(stream, 'any');
    },
    async tombstone(stream) {
      fake.database.tombstone(stream, 'any');
    },
    setMetadata: async (stream, metadata) => fake.database.setMetadata(stream, metadata),
    scavenge: async () => fake.database.scavenge(),
    passTime: async (ms) => fake.database.passTime(ms),
    async fillDisk() {
      fake.database.isDiskFull = true;
    },
    async freeDisk() {
      fake.database.isDiskFull = false;
    },
    resetConnections: async () => fake.resetConnections(),
    isRunning: async () => fake.isRunning,
    kill: () => fake.kill(),
    terminate: () => fake.terminate(),
    start: () => fake.start(),
    async backUp(name) {
      data.set(name, fake.database.backup());
    },
    async swapData(name) {
      const chosen = data.get(name) ?? new FakeDatabase();
      data.set(name, chosen);
      await fake.swapData(chosen);
    },
  };
}

const toStored = ({ stream, revision, id, type, data }: FakeRecord): StoredRecord => ({
  stream,
  revision: Number(revision),
  id,
  type,
  data: Buffer.from(data).toString(),
});

type Command = keyof FakeControl;

/** Serves the control of a fake over HTTP. @returns the URL for `remoteControl` */
export async function serveControl(control: FakeControl): Promise<string> {
  const server = createServer(async (request, response) => {
    try {
      const [command, ...args] = JSON.parse(Buffer.concat(await request.toArray()).toString()) as [Command];
      const result = await (control[command] as (...args: unknown[]) => Promise<unknown>)(...args);
      response.end(JSON.stringify(result ?? null));
    } catch (error) {
      response.writeHead(500).end((error as Error).message);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The control of a fake in another process. */
export function remoteControl(url: string): FakeControl {
  const call = async (...command: [Command, ...unknown[]]) => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(command) });
    if (!response.ok) throw new Error(`the fake EventStoreDB refuses ${command[0]}: ${await response.text()}`);
    return response.json();
  };
  return new Proxy({} as FakeControl, {
    get: (_, command: Command) =>
      command === ('then' as never) ? undefined : (...args: unknown[]) => call(command, ...args),
  });
}
