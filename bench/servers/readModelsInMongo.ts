import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { Generations } from '../../src/readModels/mongo/generations.ts';
import { openLogReader } from '../../src/readModels/mongo/logReader.ts';
import { createMongoStore } from '../../src/readModels/mongo/mongoStore.ts';
import { rebuildMongoReadModels } from '../../src/readModels/mongo/rebuild.ts';
import { portsOver } from '../../src/readModels/readModels.ts';
import { permanentLeaseTerm } from '../../src/state/leases/leaseTerm.ts';
import { mongoServer, NO_MONGODB_FOUND } from '../../test/support/mongo/mongoServer.ts';
import { fillLog } from '../logs/events.ts';
import { measureQueries } from '../logs/queries.ts';
import { measure } from './measure.ts';

export interface ReadModelsInMongoOptions {
  readonly folder: string;
  /** Number of events for a real MongoDB; see `FERRETDB_LIMITS`. */
  readonly rows: number;
  readonly rounds: number;
  readonly print: (line: string) => void;
}

const POLL_MS = 50;

/**
 * FerretDB uses an index only for `_id` alone. Updates of sums also filter by position, so each of them reads the whole
 * collection. Only the rate for a few events in small batches is measured.
 */
const FERRETDB_LIMITS = { rows: 400, batchEvents: 100 };

/** Measures how fast a running node and a rebuild write read models to MongoDB, and how long the dashboard's queries take. */
export async function measureReadModelsInMongo({
  folder,
  rounds,
  print,
  ...of
}: ReadModelsInMongoOptions): Promise<void> {
  const server = await mongoServer();
  if (!server) return print(NO_MONGODB_FOUND);
  const isReal = server.product === 'MongoDB';
  const { rows, batchEvents } = isReal ? { ...of, batchEvents: undefined } : FERRETDB_LIMITS;
  print(`read models in ${server.product} ${server.version}, ${rows} events`);
  const logPath = join(folder, 'of-mongodb.sqlite');
  fillLog(logPath, rows);
  const url = server.newDatabase();
  const source = openLogReader(logPath);
  const store = createMongoStore({
    url,
    log: source,
    fencedBy: 'bench',
    report: print,
    ...(batchEvents && { batchEvents }),
  });
  const readModels = portsOver(store.query);
  await using client = new MongoClient(url);
  const generations = new Generations(client.db());
  try {
    const batches = batchEvents ? `in batches of ${batchEvents}` : 'in the batches of a running service';
    const projecting = store.project(permanentLeaseTerm());
    await measure(`read models, ${batches}`, rows, print, async () => {
      while (((await generations.mark(await generations.active()))?.position ?? 0) < rows) await delay(POLL_MS);
    });
    if (isReal) await measureQueries(readModels, { rows, rounds, only: '', print });
    await store.close();
    await projecting;
    if (!isReal) return;
    await measure('read models, in the batches of a rebuild', rows, print, () =>
      rebuildMongoReadModels({ url, logPath, graceMs: 0 }),
    );
  } finally {
    await store.close();
    source.close();
    await server.stop();
  }
}
