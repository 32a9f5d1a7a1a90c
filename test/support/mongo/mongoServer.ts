import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { MongoClient } from 'mongodb';
import { configuredServer, type RunningServer, startLocalServer } from './servers.ts';

/** A server with MongoDB's wire protocol, for the tests of one file. */
export interface MongoServer {
  readonly url: string;
  readonly product: 'MongoDB' | 'FerretDB';
  readonly version: string;
  /** Set when the server is a child of this process. */
  readonly pid?: number | undefined;
  /** @returns a URL of a new database, which `stop` drops */
  newDatabase(): string;
  stop(): Promise<void>;
}

/** Title of the suites that are skipped without a server. */
export const NO_MONGODB_FOUND =
  'MongoDB: no server found (SVC_TEST_MONGODB_URL, mongod or ferretdb on the PATH, Go for "npm run build:ferretdb", a container engine)';

/**
 * The first server available of: the one at `SVC_TEST_MONGODB_URL`, a `mongod` or `ferretdb` on the PATH, the test server
 * that `test/support/ferretdb/build.ts` built, a container. All but the first are started for this caller alone.
 */
export async function mongoServer(): Promise<MongoServer | undefined> {
  const running = configuredServer() ?? (await startLocalServer());
  if (!running) return undefined;
  try {
    return await withVersion(running);
  } catch (error) {
    await running.stop();
    throw new Error(`the MongoDB server for tests does not respond: ${(error as Error).message}`, { cause: error });
  }
}

async function withVersion({ url, pid, folder, stop }: RunningServer): Promise<MongoServer> {
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
      // Databases of a server that we started are removed with its folder, without the time that dropping takes.
      if (!folder) for (const name of databases) await client.db(name).dropDatabase();
      await client.close();
      await stop();
      if (folder) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Replaces the database in a connection string. `URL` cannot parse one with several hosts. */
export function withDatabase(url: string, name: string): string {
  const [, hosts = '', options = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(url) ?? [];
  return `${hosts}/${name}${options}`;
}
