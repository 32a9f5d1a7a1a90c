import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { expectKinds } from '../../test/histories/forged/expectKinds.ts';
import { readRows, writeForgedExport } from '../../test/histories/forged/forgedFiles.ts';
import { databaseOf } from '../../test/histories/forged/forgedStore.ts';
import { BY_CHECKPOINT, type Forgery, forgeries } from '../../test/histories/forged/forgeries.ts';
import { aFolder, honestFolder } from '../../test/histories/forged/honestLog.ts';
import { publish, vkeyOf } from '../../test/histories/forged/publishedCheckpoints.ts';
import type { FakeDatabase } from '../../test/support/eventstore/fakeDatabase.ts';
import { startFakeEventStore } from '../../test/support/eventstore/fakeEventStore.ts';
import { createRandom } from '../../test/support/random.ts';
import { thoroughness } from '../../test/support/runs.ts';
import { openDataFolder } from '../dataFolder/dataFolder.ts';
import type { EventTuple } from '../eventLog/sqlite/eventTuple.ts';
import { openEventStoreHistory } from '../eventLog/transfer/eventStoreHistory.ts';
import { openExport } from '../eventLog/transfer/exportFile.ts';
import type { FindingKind } from './finding.ts';
import { verifyEventStore } from './verifyEventStore.ts';

const threads = 1;
// SVC_TEST_RUNS=20 forges with twenty seeds.
const SEEDS = Array.from({ length: Math.ceil(thoroughness) }, (_, index) => index + 1);
const UNTOUCHED: Forgery = { name: 'changes nothing', forge: (rows) => rows, inFolder: [], alone: [], besideTree: [] };
const print = () => undefined;
/** A node over a fake EventStoreDB that has the rows of a log. */
async function storeWith(rows: ReturnType<typeof readRows>) {
  const file = join(await aFolder(), 'export');
  await writeForgedExport(file, rows);
  const server = await startFakeEventStore();
  onTestFinished(() => server.kill());
  const path = await aFolder();
  const folder = openDataFolder(path);
  const masterKey = randomBytes(32).toString('base64');
  const history = await openEventStoreHistory({ url: server.url, masterKey, folder, print });
  let batch: EventTuple[] = [];
  for (const event of openExport(file).events()) {
    if (batch.length > 0 && batch[0]?.[1] !== event[1]) {
      await history.append(batch);
      batch = [];
    }
    batch.push(event);
  }
  await history.append(batch);
  await history.head();
  await history.close();
  folder.close();
  return { path, url: server.url };
}

test('finds no fault in a history in EventStoreDB, and none in the mirror of the node', async () => {
  const { path, url } = await storeWith(readRows(await honestFolder(1)));
  const verified = await verifyEventStore({ folder: path, url, print, threads });
  expect(verified.findings).toEqual([]);
  expect(verified.events).toBeGreaterThan(100);
});

/** What a forgery is in EventStoreDB, which numbers the events of a stream without a gap. */
const KINDS: Readonly<Record<string, readonly FindingKind[]>> = {
  // The events behind it have other revisions than those that were hashed.
  'deletes an event': ['edited'],
  'deletes an event and renumbers positions': ['edited'],
};

test.each(SEEDS)(
  'finds every forgery in EventStoreDB by its kind, alone and against checkpoints (seed %i)',
  { timeout: 300_000 },
  async (seed) => {
    const honest = await honestFolder(seed);
    const rows = readRows(honest);
    const [checkpoints, publicKey, folder] = [await aFolder(), vkeyOf(rows), await aFolder()];
    publish(rows, checkpoints, [1, 77, rows.length]);
    await using server = await startFakeEventStore();
    for (const { name, forge, alone } of [UNTOUCHED, ...forgeries]) {
      await server.swapData(databaseOf(forge(readRows(honest), createRandom(seed))));
      const options = { folder, url: server.url, print, threads };
      const kinds = KINDS[name] ?? alone;
      expectKinds(await verifyEventStore(options), kinds, name);
      const byCheckpoint = forge === UNTOUCHED.forge || kinds.length > 0 ? kinds : BY_CHECKPOINT;
      const published = await verifyEventStore({ ...options, checkpoints, publicKey });
      expectKinds(published, byCheckpoint, `${name}, against checkpoints`);
    }
  },
);

test.each([
  [
    'the beginning of a stream was truncated',
    (database: FakeDatabase, stream: string) => database.setMetadata(stream, { $tb: 2 }),
  ],
  ['a stream was deleted', (database: FakeDatabase, stream: string) => database.softDelete(stream, 'any')],
])('finds that %s, over which no node starts', { timeout: 120_000 }, async (_, remove) => {
  const rows = readRows(await honestFolder(1));
  const database = databaseOf(rows);
  remove(database, 'requests-n2.b1_20260101');
  database.scavenge();
  await using server = await startFakeEventStore({ database });
  const { ok, findings } = await verifyEventStore({ folder: await aFolder(), url: server.url, print, threads });
  expect([ok, findings[0]?.kind]).toEqual([false, 'deleted']);
});

test('finds what the mirror of a node has and EventStoreDB has otherwise', async () => {
  const { path, url } = await storeWith(readRows(await honestFolder(1)));
  const mirror = new DatabaseSync(join(path, 'mirror.sqlite'));
  mirror.exec("UPDATE events SET data = replace(data, 'gpt', 'abc') WHERE position = 100");
  mirror.close();
  const { findings } = await verifyEventStore({ folder: path, url, print, threads });
  expect(findings).toMatchObject([{ kind: 'edited', position: 100 }]);
});
