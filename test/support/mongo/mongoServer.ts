import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { MongoClient } from 'mongodb';
import { givenServer, localServer, type Running } from './servers.ts';

/** A server that speaks the protocol of MongoDB, for the tests of one file. */
export interface MongoServer {
  readonly url: string;
  readonly product: 'MongoDB' | 'FerretDB';
  readonly version: string;
  /** Of a server that is a child of this process. */
  readonly pid?: number | undefined;
  /** A URL that names a database of its own, which is dropped with `stop`. */
  newDatabase(): string;
  stop(): Promise<void>;
}

/** What a suite is called that cannot run. */
export const NO_MONGODB =
  'MongoDB: no server found (SVC_TEST_MONGODB_URL, mongod or ferretdb on the PATH, Go for "npm run build:ferretdb", a container engine)';

/**
 * The first that can be had: the one that `SVC_TEST_MONGODB_URL` names, a `mongod` or `ferretdb` on the PATH, the test
 * server that `test/support/ferretdb/build.ts` built, a container. One of its own for each file that asks, except the
 * first kind.
 */
export async function mongoServer(): Promise<MongoServer | undefined> {
  const running = givenServer() ?? (await localServer());
  if (!running) return undefined;
  try {
    return await described(running);
  } catch (error) {
    await running.stop();
    throw new Error(`the MongoDB server for tests does not answer: ${(error as Error).message}`, { cause: error });
  }
}

async function described({ url, pid, folder, stop }: Running): Promise<MongoServer> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 10_000 });
  const info = await client.db('admin').command({ buildInfo: 1 });
  const databases: string[] = [];
  return {
    url,
    product: 'ferretdbVersion' in info || 'ferretdb' in info ? 'FerretDB' : 'MongoDB',
    version: String(info.version),
    pid,
    newDatabase() {
      const name = `svc_test_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
      databases.push(name);
      return withDatabase(url, name);
    },
    async stop() {
      // A server of our own takes its folder along; dropping there would only cost time.
      if (!folder) for (const name of databases) await client.db(name).dropDatabase();
      await client.close();
      await stop();
      if (folder) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The same server and options, another database. A URL of several hosts is none that `URL` could read. */
export function withDatabase(url: string, name: string): string {
  const [, hosts = '', options = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(url) ?? [];
  return `${hosts}/${name}${options}`;
}
