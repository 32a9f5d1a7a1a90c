import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { Generations } from '../../src/readModels/mongo/generations.ts';
import { openLogReader } from '../../src/readModels/mongo/logReader.ts';
import { createMongoStore } from '../../src/readModels/mongo/mongoStore.ts';
import { rebuildMongoReadModels } from '../../src/readModels/mongo/rebuild.ts';
import { portsOver } from '../../src/readModels/readModels.ts';
import { permanentLeaseTerm } from '../../src/state/leases/leaseTerm.ts';
import { mongoServer, NO_MONGODB } from '../../test/support/mongo/mongoServer.ts';
import { fillLog } from '../logs/events.ts';
import { askQuestions } from '../logs/questions.ts';
import { timed } from './timed.ts';

export interface ReadModelsInMongoOptions {
  readonly folder: string;
  /** Of a real MongoDB; see `OF_FERRETDB`. */
  readonly rows: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

const LOOK_EVERY_MS = 50;

/**
 * FerretDB finds a document by nothing but `_id` alone, and a change of a sum names the sum's position as well: for each change it
 * reads all documents of the collection. The rate of a few events in small batches is all there is to learn from it.
 */
const OF_FERRETDB = { rows: 400, batchEvents: 100 };

/** How fast read models are made in MongoDB, by a running node and by a rebuild, and what the dashboard's questions take then. */
export async function readModelsInMongo({ folder, rounds, say, ...of }: ReadModelsInMongoOptions): Promise<void> {
  const server = await mongoServer();
  if (!server) return say(NO_MONGODB);
  const isReal = server.product === 'MongoDB';
  const { rows, batchEvents } = isReal ? { ...of, batchEvents: undefined } : OF_FERRETDB;
  say(`read models in ${server.product} ${server.version}, ${rows} events`);
  const logPath = join(folder, 'of-mongodb.sqlite');
  fillLog(logPath, rows);
  const url = server.newDatabase();
  const source = openLogReader(logPath);
  const store = createMongoStore({
    url,
    log: source,
    fencedBy: 'bench',
    report: say,
    ...(batchEvents && { batchEvents }),
  });
  const readModels = portsOver(store.query);
  await using client = new MongoClient(url);
  const generations = new Generations(client.db());
  try {
    const batches = batchEvents ? `in batches of ${batchEvents}` : 'in the batches of a running service';
    const projecting = store.project(permanentLeaseTerm());
    await timed(`read models, ${batches}`, rows, say, async () => {
      while (((await generations.mark(await generations.active()))?.position ?? 0) < rows) await delay(LOOK_EVERY_MS);
    });
    if (isReal) await askQuestions(readModels, { rows, rounds, say });
    await store.close();
    await projecting;
    if (!isReal) return;
    await timed('read models, in the batches of a rebuild', rows, say, () =>
      rebuildMongoReadModels({ url, logPath, graceMs: 0 }),
    );
  } finally {
    await store.close();
    source.close();
    await server.stop();
  }
}
