import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { soleTenure } from '../../src/projecting/tenure.ts';
import { Generations } from '../../src/readModels/mongo/generations.ts';
import { openLogSource } from '../../src/readModels/mongo/logSource.ts';
import { createMongoStore } from '../../src/readModels/mongo/mongoStore.ts';
import { rebuildMongoReadModels } from '../../src/readModels/mongo/rebuild.ts';
import { portsOver } from '../../src/readModels/readModels.ts';
import { mongoServer, NO_MONGODB } from '../../test/support/mongo/mongoServer.ts';
import { fillLog } from '../logs/events.ts';
import { askQuestions } from '../logs/questions.ts';
import { timed } from './timed.ts';

export interface ReadModelsInMongoOptions {
  readonly folder: string;
  readonly rows: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

const LOOK_EVERY_MS = 50;

/** How fast read models are made in MongoDB, by a running node and by a rebuild, and what the dashboard's questions take then. */
export async function readModelsInMongo({ folder, rows, rounds, say }: ReadModelsInMongoOptions): Promise<void> {
  const server = await mongoServer();
  if (!server) return say(NO_MONGODB);
  if (server.product !== 'MongoDB') {
    say(
      `${server.product} ${server.version} uses no index and does not answer large batches in time: nothing to measure`,
    );
    return server.stop();
  }
  say(`read models in MongoDB ${server.version}, ${rows} events`);
  const logPath = join(folder, 'of-mongodb.sqlite');
  fillLog(logPath, rows);
  const url = server.newDatabase();
  const source = openLogSource(logPath);
  const store = createMongoStore({ url, source, fencedBy: 'bench', say });
  const readModels = portsOver(store.answer);
  await using client = new MongoClient(url);
  const generations = new Generations(client.db());
  try {
    const projecting = store.project(soleTenure());
    await timed('read models, in the batches of a running service', rows, say, async () => {
      while (((await generations.mark(await generations.active()))?.position ?? 0) < rows) await delay(LOOK_EVERY_MS);
    });
    await askQuestions(readModels, { rows, rounds, say });
    await store.close();
    await projecting;
    await timed('read models, in the batches of a rebuild', rows, say, () =>
      rebuildMongoReadModels({ url, logPath, graceMs: 0 }),
    );
  } finally {
    await store.close();
    source.close();
    await server.stop();
  }
}
