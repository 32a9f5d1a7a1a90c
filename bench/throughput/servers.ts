import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { mongoServer, NO_MONGODB_FOUND } from '../../test/support/mongo/mongoServer.ts';
import { start } from './child.ts';
import { print } from './figures.ts';
import { threadTimes, total } from './threadTimes.ts';

/** Servers that store the product's state instead of its data folder. */
export interface Servers {
  /** Settings of the product. */
  readonly env: Readonly<Record<string, string>>;
  /** CPU time that the local servers have used so far, in microseconds; they share the cores with the product. */
  cpuUs(): number;
  stop(): Promise<void>;
}

/** Starts EventStoreDB for the log, MongoDB for the read models, both or neither. */
export async function startServers(
  { eventstore, mongodb }: { eventstore: boolean; mongodb: boolean },
  folder: string,
): Promise<Servers> {
  const log = eventstore ? await startEventStore(folder) : undefined;
  const readModels = mongodb ? await mongoServer() : undefined;
  if (mongodb && !readModels) throw new Error(NO_MONGODB_FOUND);
  if (readModels) print(`read models in ${readModels.product} ${readModels.version}`);
  const pids = [log?.pid, readModels?.pid].filter((pid) => pid !== undefined);
  return {
    env: {
      ...(log && { SVC_EVENTSTORE_URL: log.url, SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64') }),
      ...(readModels && { SVC_MONGODB_URL: readModels.newDatabase() }),
    },
    cpuUs: () => pids.reduce((sum, pid) => sum + total(threadTimes(pid)), 0),
    stop: async () => readModels?.stop(),
  };
}

/**
 * The server of `SVC_TEST_EVENTSTORE_URL`, which must not be shared, or else the fake one of the tests in a separate process
 * on the same cores.
 */
export async function startEventStore(folder: string): Promise<{ readonly url: string; readonly pid?: number }> {
  const given = process.env.SVC_TEST_EVENTSTORE_URL;
  print(
    given === undefined ? 'over the fake EventStoreDB of the tests, on the same cores' : 'over a real EventStoreDB',
  );
  if (given !== undefined) return { url: given };
  const script = join(import.meta.dirname, '../../test/support/eventstore/main.ts');
  const child = start(process.execPath, [script], { PATH: process.env.PATH ?? '' }, join(folder, 'eventstore.log'));
  return { url: (await child.line(/esdb:\S+/))[0], pid: child.pid };
}
