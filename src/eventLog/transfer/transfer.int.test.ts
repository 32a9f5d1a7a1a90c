import { randomBytes } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { committed } from '../../../test/contract/eventLog/outcomes.ts';
import { aStream, someEvents } from '../../../test/contract/events.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { type FakeEventStore, startFakeEventStore } from '../../../test/support/eventstore/fakeEventStore.ts';
import { statuses } from '../../../test/support/eventstore/statuses.ts';
import { openDataFolder } from '../../dataFolder/dataFolder.ts';
import { position, type Sealed } from '../../domain/core/brands.ts';
import { openSharedVault } from '../../vault/sharedVault.ts';
import { openVault } from '../../vault/sqliteVault.ts';
import { NO_STREAM, type StoredEvent } from '../eventLog.ts';
import { parseConnectionString } from '../eventstore/client/connectionString.ts';
import { openEventStore } from '../eventstore/eventStore.ts';
import { openOutbox } from '../outbox/outbox.ts';
import { createSqliteEventLog } from '../sqlite/sqliteEventLog.ts';
import { openEventStoreHistory } from './eventStoreHistory.ts';
import type { HistoryTarget } from './history.ts';
import { openSqliteHistory } from './sqliteHistory.ts';
import { exportHistory, importHistory } from './transfer.ts';

const masterKey = randomBytes(32).toString('base64');
const silent = () => {};

async function aFolder(): Promise<string> {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}

/** A data folder as a service leaves it: events in several streams, and values sealed under keys of its vault. */
async function aHistory(): Promise<{ path: string; events: StoredEvent[]; sealed: Sealed }> {
  const path = await aFolder();
  const log = await createSqliteEventLog({ path: join(path, 'log.sqlite'), node: 'old' });
  const [one, other] = [aStream(), aStream()];
  for (let round = 0; round < 5; round += 1) {
    await committed(log.append(one, round * 3 + NO_STREAM, someEvents(3)));
    await committed(log.append(other, round * 250 + NO_STREAM, someEvents(250)));
  }
  const vault = openVault({ folder: path, masterKey });
  const sealed = vault.seal(await vault.createKey('account_1'), 'the token');
  await vault.createKey('account_2');
  const events = await Array.fromAsync(log.readAll(position(0)));
  await log.close();
  vault.close();
  return { path, events, sealed };
}

async function withHistory<Result>(
  open: () => Promise<HistoryTarget>,
  work: (history: HistoryTarget) => Promise<Result>,
) {
  const history = await open();
  try {
    return await work(history);
  } finally {
    await history.close();
  }
}

const embedded =
  (path: string, key = masterKey) =>
  async (): Promise<HistoryTarget> => {
    const folder = openDataFolder(path);
    const history = openSqliteHistory(folder, key);
    return { ...history, close: () => history.close().then(() => folder.close()) };
  };

const shared =
  ({ url }: FakeEventStore, path: string, key = masterKey) =>
  async (): Promise<HistoryTarget> => {
    const folder = openDataFolder(path);
    const history = await openEventStoreHistory({ url, masterKey: key, folder, say: silent }).catch((error: Error) => {
      folder.close();
      throw error;
    });
    return { ...history, close: () => history.close().then(() => folder.close()) };
  };

async function anExport() {
  const history = await aHistory();
  const file = join(await aFolder(), 'history.ndjson');
  await withHistory(embedded(history.path), (source) => exportHistory(source, file, silent));
  const server = await startFakeEventStore();
  onTestFinished(() => server.kill());
  return { ...history, file, server, folder: await aFolder() };
}

async function openedIn({ url }: FakeEventStore) {
  const path = join(await aFolder(), 'mirror.sqlite');
  const store = await openEventStore({ settings: parseConnectionString(url), path, node: 'new', say: silent });
  onTestFinished(() => store.close());
  return { store, vault: await openSharedVault({ streams: store.keys, masterKey, report: silent }) };
}

test('a history moves from the data folder to EventStoreDB: every event at its position with its bytes, the vault with it', async () => {
  const { events, sealed, file, server, folder } = await anExport();
  const told: number[] = [];
  const summary = await withHistory(shared(server, folder), (target) =>
    importHistory(target, file, (done, of) => told.push(done / of)),
  );
  expect(summary).toEqual({ events: 1_265, keys: 2, alreadyThere: 0 });
  expect(told.at(-1)).toBe(1);
  const { store, vault } = await openedIn(server);
  expect(await Array.fromAsync(store.log.readAll(position(0)))).toEqual(events);
  expect(vault.open(sealed)).toBe('the token');
  expect(await store.log.append(events[0]?.stream ?? '', 14, someEvents(1))).toMatchObject({
    kind: 'committed',
    position: 1_266,
  });
});

test('and back: from EventStoreDB to a file, and from there to a data folder', async () => {
  const { events, sealed, file, server, folder } = await anExport();
  await withHistory(shared(server, folder), (target) => importHistory(target, file, silent));
  const [second, home] = [join(await aFolder(), 'again.ndjson'), await aFolder()];
  await withHistory(shared(server, folder), (source) => exportHistory(source, second, silent));
  expect(await readFile(second, 'utf8')).toBe(await readFile(file, 'utf8'));
  await withHistory(embedded(home), (target) => importHistory(target, second, silent));
  const log = await createSqliteEventLog({ path: join(home, 'log.sqlite'), node: 'home' });
  expect(await Array.fromAsync(log.readAll(position(0)))).toEqual(events);
  expect(await log.append(aStream(), NO_STREAM, someEvents(1))).toMatchObject({ kind: 'committed', position: 1_266 });
  await log.close();
  const vault = openVault({ folder: home, masterKey });
  expect(vault.open(sealed)).toBe('the token');
  vault.close();
});

test('an import that was interrupted goes on where it stopped, whatever became of its last append', async () => {
  const { events, file, server, folder } = await anExport();
  let left = 4;
  const interrupted = withHistory(shared(server, folder), (target) =>
    importHistory(
      { ...target, append: (run) => (left-- > 0 ? target.append(run) : Promise.reject(new Error('cut'))) },
      file,
      silent,
    ),
  );
  await expect(interrupted).rejects.toThrow('cut');
  server.nextAppends({ isWritten: true, end: statuses.timeout }, { isWritten: false, end: statuses.unavailable });
  const summary = await withHistory(shared(server, folder), (target) => importHistory(target, file, silent));
  expect(summary.alreadyThere).toBeGreaterThan(0);
  const { store } = await openedIn(server);
  expect(await Array.fromAsync(store.log.readAll(position(0)))).toEqual(events);
  const again = await withHistory(shared(server, folder), (target) => importHistory(target, file, silent));
  expect(again.alreadyThere).toBe(1_265);
});

test('a node whose outbox holds what stands nowhere else is to bring it first', async () => {
  const { file, server, folder } = await anExport();
  await withHistory(shared(server, folder), (target) => importHistory(target, file, silent));
  const { store } = await openedIn(server);
  const away = {
    ...store.replicationTarget,
    append: async () => ({ kind: 'unknown', error: new Error() }) as const,
  };
  const options = { path: join(folder, 'outbox.sqlite'), node: 'new', maxEvents: 100, report: silent };
  const outbox = await openOutbox({ ...options, store: away });
  await committed(outbox.append(aStream(), NO_STREAM, someEvents(3)));
  await outbox.close(0);
  await expect(shared(server, folder)()).rejects.toThrow('3 events of this node wait in');
  const next = await openOutbox({ ...options, store: store.replicationTarget });
  next.start();
  await next.close();
  await withHistory(shared(server, folder), async (source) => expect(await source.head()).toBe(1_268));
});

test('a store that holds anything else is refused and left as it is', async () => {
  const { file, server, folder } = await anExport();
  const { store } = await openedIn(server);
  await committed(store.log.append(aStream(), NO_STREAM, someEvents(3)));
  const importing = withHistory(shared(server, folder), (target) => importHistory(target, file, silent));
  await expect(importing).rejects.toThrow('the store is not empty, and what it holds is no part of this history');
  expect(await store.log.head()).toBe(3);
  const elsewhere = await aHistory();
  const intoOther = withHistory(embedded(elsewhere.path), (target) => importHistory(target, file, silent));
  await expect(intoOther).rejects.toThrow('is not empty');
});

test('another master key than that of the vault is refused before an event is written', async () => {
  const { file, server, folder } = await anExport();
  const other = randomBytes(32).toString('base64');
  const importing = withHistory(shared(server, folder, other), (target) => importHistory(target, file, silent));
  await expect(importing).rejects.toThrow('wrapped by another master key');
  expect(server.database.log.some(({ stream }) => !stream.startsWith('$'))).toBe(false);
});

test('keys that are not all there at the end are told', async () => {
  const { file, server, folder } = await anExport();
  const importing = withHistory(shared(server, folder), (target) =>
    importHistory(
      { ...target, writeKeys: ({ installation, keys }) => target.writeKeys({ installation, keys: keys.slice(1) }) },
      file,
      silent,
    ),
  );
  await expect(importing).rejects.toThrow('the keys of the vault are not those of the file');
});

test('a history that was tampered with is not exported, and the position is named', async () => {
  const { path } = await aHistory();
  const database = new DatabaseSync(join(path, 'log.sqlite'));
  database.exec(`UPDATE events SET data = json_set(data, '$.ip', '10.9.9.9') WHERE position = 500`);
  database.close();
  const file = join(await aFolder(), 'history.ndjson');
  const exporting = withHistory(embedded(path), (source) => exportHistory(source, file, silent));
  await expect(exporting).rejects.toThrow('the log is not intact at position 500');
  await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
});

const harms: readonly [string, (lines: string[]) => string[], string][] = [
  [
    'an edited event',
    (lines) => lines.with(700, lines[700]?.replace('"ip":"10.', '"ip":"11.') ?? ''),
    'is not intact at position 698',
  ],
  ['a missing event', (lines) => lines.toSpliced(700, 1), 'has no event at position 698'],
  ['a missing end', (lines) => lines.slice(0, -2), 'its end is missing'],
  ['half a line', (lines) => [...lines.slice(0, -3), (lines.at(-3) ?? '').slice(0, 50)], 'no JSON'],
  ['other keys', (lines) => lines.with(2, '{"keys":[]}'), 'does not match its digest'],
  ['something else', () => ['{"hello":1}', '{}', '{}'], 'is no export of svc'],
];

test.each(harms)('a file with %s is refused before anything is written', async (_, harm, why) => {
  const { file, server, folder } = await anExport();
  await writeFile(file, harm((await readFile(file, 'utf8')).split('\n')).join('\n'));
  const importing = withHistory(shared(server, folder), (target) => importHistory(target, file, silent));
  await expect(importing).rejects.toThrow(why);
  expect(server.database.log.some(({ stream }) => !stream.startsWith('$'))).toBe(false);
});

test('a file is for its owner only, and one that is there is not written over', async () => {
  const { path, file } = await anExport();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const exporting = withHistory(embedded(path), (source) => exportHistory(source, file, silent));
  await expect(exporting).rejects.toThrow('is there already');
});
