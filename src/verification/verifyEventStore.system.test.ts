import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeEventStore } from '../../test/support/eventstore/fakeEventStore.ts';
import { readRows, writeForgedExport } from '../../test/support/forgeries/forgedFiles.ts';
import { BY_CHECKPOINT, forgeries } from '../../test/support/forgeries/forgeries.ts';
import { aFolder, honestFolder } from '../../test/support/forgeries/honestLog.ts';
import { publish, vkeyOf } from '../../test/support/forgeries/publishedCheckpoints.ts';
import { createRandom } from '../../test/support/random.ts';
import { openDataFolder } from '../dataFolder/dataFolder.ts';
import type { StoredEvent } from '../eventLog/eventLog.ts';
import { openEventStoreHistory } from '../eventLog/transfer/eventStoreHistory.ts';
import { openExport } from '../eventLog/transfer/exportFile.ts';
import { verifyEventStore } from './verifyEventStore.ts';

const threads = 1;
const print = () => undefined;
/** EventStoreDB takes only consecutive revisions, and gives positions itself. */
const POSSIBLE = [
  'edits an event and gives it a new hash',
  'edits an event and rehashes its stream to the end',
  'deletes a stream and renumbers positions',
  'cuts the last 7',
  'swaps neighbours of two streams',
  'repeats the end of a request',
];

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
  let batch: StoredEvent[] = [];
  for await (const event of (await openExport(file)).events()) {
    if (batch.length > 0 && batch[0]?.stream !== event.stream) {
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

test('finds forgeries in EventStoreDB by their kind, against published checkpoints', { timeout: 120_000 }, async () => {
  const honest = await honestFolder(1);
  const rows = readRows(honest);
  const [checkpoints, publicKey] = [await aFolder(), vkeyOf(rows)];
  publish(rows, checkpoints, [1, 77, rows.length]);
  const verified = async (forged: ReturnType<typeof readRows>) => {
    const { path, url } = await storeWith(forged);
    return verifyEventStore({ folder: path, url, print, threads, checkpoints, publicKey });
  };
  // The same events have the same root.
  expect(await verified(readRows(honest))).toMatchObject({ ok: true });
  for (const { name, forge, alone } of forgeries.filter((forgery) => POSSIBLE.includes(forgery.name))) {
    const { findings } = await verified(forge(readRows(honest), createRandom(1)));
    const kinds = alone.length > 0 ? alone : BY_CHECKPOINT;
    expect(kinds, `${name}: ${JSON.stringify(findings)}`).toContain(findings[0]?.kind);
  }
});

test('finds what the mirror of a node has and EventStoreDB has otherwise', async () => {
  const { path, url } = await storeWith(readRows(await honestFolder(1)));
  const mirror = new DatabaseSync(join(path, 'mirror.sqlite'));
  mirror.exec("UPDATE events SET data = replace(data, 'gpt', 'abc') WHERE position = 100");
  mirror.close();
  const { findings } = await verifyEventStore({ folder: path, url, print, threads });
  expect(findings).toMatchObject([{ kind: 'edited', position: 100 }]);
});
