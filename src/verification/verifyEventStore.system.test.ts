import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeEventStore } from '../../test/support/eventstore/fakeEventStore.ts';
import { readRows, writeForgedExport } from '../../test/support/forgeries/forgedFiles.ts';
import { forgeries } from '../../test/support/forgeries/forgeries.ts';
import { aFolder, honestFolder } from '../../test/support/forgeries/honestLog.ts';
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
  'deletes a stream and renumbers positions',
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

test('finds forgeries in EventStoreDB by their kind', { timeout: 60_000 }, async () => {
  const honest = await honestFolder(1);
  for (const forgery of forgeries.filter(({ name }) => POSSIBLE.includes(name))) {
    const { path, url } = await storeWith(forgery.forge(readRows(honest), createRandom(1)));
    const { findings } = await verifyEventStore({ folder: path, url, print, threads });
    expect(forgery.alone, `${forgery.name}: ${JSON.stringify(findings)}`).toContain(findings[0]?.kind);
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
