import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { committed } from '../../../test/contract/eventLog/outcomes.ts';
import { aStream, someEvents } from '../../../test/contract/events.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { collectFaults } from '../../../test/support/collectFaults.ts';
import { type FakeEventStore, startFakeEventStore } from '../../../test/support/eventstore/fakeEventStore.ts';
import { statuses } from '../../../test/support/eventstore/statuses.ts';
import { openDataFolder } from '../../dataFolder/dataFolder.ts';
import { position, type Sealed } from '../../domain/core/brands.ts';
import { Faults } from '../../lib/faults.ts';
import { openSharedVault } from '../../vault/sharedVault.ts';
import { openSqliteVault } from '../../vault/sqliteVault.ts';
import { NO_STREAM, type StoredEvent } from '../eventLog.ts';
import { parseConnectionString } from '../eventstore/client/connectionString.ts';
import { openEventStore } from '../eventstore/eventStore.ts';
import { hashOf } from '../hashChain.ts';
import { openOutbox } from '../outbox/outbox.ts';
import type { EventTuple } from '../sqlite/eventTuple.ts';
import { createSqliteEventLog } from '../sqlite/sqliteEventLog.ts';
import { openEventStoreHistory } from './eventStoreHistory.ts';
import { eventOfTuple, tupleOfEvent } from './eventTuples.ts';
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

/** A data folder with events in several streams, and a value sealed under a key of its vault. */
async function aHistory(): Promise<{ path: string; events: StoredEvent[]; sealed: Sealed }> {
  const path = await aFolder();
  const log = await createSqliteEventLog({ path: join(path, 'log.sqlite'), node: 'old' });
  const [one, other] = [aStream(), aStream()];
  for (let round = 0; round < 5; round += 1) {
    await committed(log.append(one, round * 3 + NO_STREAM, someEvents(3)));
    await committed(log.append(other, round * 250 + NO_STREAM, someEvents(250)));
  }
  const vault = openSqliteVault({ folder: path, masterKey });
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
    const history = await openEventStoreHistory({ url, masterKey: key, folder, print: silent }).catch(
      (error: Error) => {
        folder.close();
        throw error;
      },
    );
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

async function openStore({ url }: FakeEventStore) {
  const path = join(await aFolder(), 'mirror.sqlite');
  const store = await openEventStore({
    settings: parseConnectionString(url),
    path,
    node: 'new',
    print: silent,
    faults: new Faults({ print: silent, now: Date.now }),
  });
  onTestFinished(() => store.close());
  return { store, vault: await openSharedVault({ streams: store.keys, masterKey, report: silent }) };
}

test('moves a history and its vault from the data folder to EventStoreDB unchanged', async () => {
  const { events, sealed, file, server, folder } = await anExport();
  const progress: number[] = [];
  const summary = await withHistory(shared(server, folder), (target) =>
    importHistory(target, file, (done, total) => progress.push(done / total)),
  );
  expect(summary).toEqual({ events: 1_265, keys: 2, alreadyThere: 0 });
  expect(progress.at(-1)).toBe(1);
  const { store, vault } = await openStore(server);
  expect(await Array.fromAsync(store.log.readAll(position(0)))).toEqual(events);
  expect(vault.open(sealed)).toBe('the token');
  expect(await store.log.append(events[0]?.stream ?? '', 14, someEvents(1))).toMatchObject({
    kind: 'committed',
    position: 1_266,
  });
});

test('moves a history from EventStoreDB back to a data folder', async () => {
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
  const vault = openSqliteVault({ folder: home, masterKey });
  expect(vault.open(sealed)).toBe('the token');
  vault.close();
});

test('continues an interrupted import, whatever the outcome of its last append', async () => {
  const { events, file, server, folder } = await anExport();
  let appendsLeft = 4;
  const interrupted = withHistory(shared(server, folder), (target) =>
    importHistory(
      {
        ...target,
        append: (batch) => (appendsLeft-- > 0 ? target.append(batch) : Promise.reject(new Error('cut'))),
      },
      file,
      silent,
    ),
  );
  await expect(interrupted).rejects.toThrow('cut');
  server.nextAppends({ isWritten: true, end: statuses.timeout }, { isWritten: false, end: statuses.unavailable });
  const summary = await withHistory(shared(server, folder), (target) => importHistory(target, file, silent));
  expect(summary.alreadyThere).toBeGreaterThan(0);
  const { store } = await openStore(server);
  expect(await Array.fromAsync(store.log.readAll(position(0)))).toEqual(events);
  const again = await withHistory(shared(server, folder), (target) => importHistory(target, file, silent));
  expect(again.alreadyThere).toBe(1_265);
});

test('refuses to open a history while the outbox of the node has pending events', async () => {
  const { file, server, folder } = await anExport();
  await withHistory(shared(server, folder), (target) => importHistory(target, file, silent));
  const { store } = await openStore(server);
  const unreachable = {
    ...store.replicationTarget,
    append: async () => ({ kind: 'unknown', error: new Error() }) as const,
  };
  const options = {
    path: join(folder, 'outbox.sqlite'),
    node: 'new',
    maxEvents: 100,
    faults: collectFaults(),
    report: silent,
  };
  const outbox = await openOutbox({ ...options, store: unreachable });
  await committed(outbox.append(aStream(), NO_STREAM, someEvents(3)));
  await outbox.close(0);
  await expect(shared(server, folder)()).rejects.toThrow('3 events of this node wait in');
  const next = await openOutbox({ ...options, store: store.replicationTarget });
  next.start();
  await next.close();
  await withHistory(shared(server, folder), async (source) => expect(await source.head()).toBe(1_268));
});

test('refuses to import into a store with other events, and does not change it', async () => {
  const { file, server, folder } = await anExport();
  const { store } = await openStore(server);
  await committed(store.log.append(aStream(), NO_STREAM, someEvents(3)));
  const importing = withHistory(shared(server, folder), (target) => importHistory(target, file, silent));
  await expect(importing).rejects.toThrow('the store is not empty, and its events are not part of this history');
  expect(await store.log.head()).toBe(3);
  const otherHistory = await aHistory();
  const intoOther = withHistory(embedded(otherHistory.path), (target) => importHistory(target, file, silent));
  await expect(intoOther).rejects.toThrow('is not empty');
});

/** The event with other content, as svc would have written it. */
function rewritten(event: StoredEvent, place: Partial<StoredEvent> = {}): StoredEvent {
  const other = { ...event, ...place, time: (event.time + 1) as StoredEvent['time'] };
  return { ...other, metadata: { ...other.metadata, hash: hashOf(other) } };
}

test.each([
  [
    'an event of another process behind those of the file',
    1_266,
    (last: StoredEvent) => [
      last,
      rewritten(
        { ...last, id: randomUUID(), metadata: { ...last.metadata, previousHash: last.metadata.hash } },
        { position: position(1_266), revision: last.revision + 1 },
      ),
    ],
  ],
  ['another intact event in the place of one', 1_265, (last: StoredEvent) => [rewritten(last)]],
])('names the position where the new log has %s', async (_what, at, change) => {
  const { events, file, folder } = await anExport();
  const last = events.at(-1)?.id;
  const importing = withHistory(embedded(folder), (target) => {
    const append = (batch: readonly EventTuple[]) =>
      target.append(
        batch.flatMap((event) => (event[3] === last ? change(eventOfTuple(event)).map(tupleOfEvent) : [event])),
      );
    return importHistory({ ...target, append }, file, silent);
  });
  await expect(importing).rejects.toThrow(`differs from the file at position ${at}: another process writes`);
});

test('refuses a wrong master key before any event is written', async () => {
  const { file, server, folder } = await anExport();
  const other = randomBytes(32).toString('base64');
  const importing = withHistory(shared(server, folder, other), (target) => importHistory(target, file, silent));
  await expect(importing).rejects.toThrow('wrapped by another master key');
  expect(server.database.log.some(({ stream }) => !stream.startsWith('$'))).toBe(false);
});

test('fails an import that did not write all keys', async () => {
  const { file, server, folder } = await anExport();
  const importing = withHistory(shared(server, folder), (target) =>
    importHistory(
      { ...target, writeKeys: ({ installation, keys }) => target.writeKeys({ installation, keys: keys.slice(1) }) },
      file,
      silent,
    ),
  );
  await expect(importing).rejects.toThrow('the keys of the vault differ from those of the file');
});

test('refuses to export a history that was tampered with, and names the position', async () => {
  const { path } = await aHistory();
  const database = new DatabaseSync(join(path, 'log.sqlite'));
  database.exec(`UPDATE events SET data = json_set(data, '$.ip', '10.9.9.9') WHERE position = 500`);
  database.close();
  const file = join(await aFolder(), 'history.ndjson');
  const exporting = withHistory(embedded(path), (source) => exportHistory(source, file, silent));
  await expect(exporting).rejects.toThrow('the log is not intact at position 500');
  expect(await readdir(dirname(file))).toEqual([]);
});

const damages: readonly [string, (lines: string[]) => string[], string][] = [
  [
    'an edited event',
    (lines) => lines.with(700, lines[700]?.replace('"ip":"10.', '"ip":"11.') ?? ''),
    'is not intact at position 698',
  ],
  ['a missing event', (lines) => lines.toSpliced(700, 1), 'has no event at position 698'],
  ['a missing end', (lines) => lines.slice(0, -2), 'its end is missing'],
  ['half a line', (lines) => [...lines.slice(0, -3), (lines.at(-3) ?? '').slice(0, 50)], 'not valid JSON'],
  ['other keys', (lines) => lines.with(2, '{"keys":[]}'), 'does not match its digest'],
  ['unrelated content', () => ['{"hello":1}', '{}', '{}'], 'is not an export of svc'],
];

test.each(damages)('refuses a file with %s before anything is written', async (_, damage, reason) => {
  const { file, server, folder } = await anExport();
  await writeFile(file, damage((await readFile(file, 'utf8')).split('\n')).join('\n'));
  const importing = withHistory(shared(server, folder), (target) => importHistory(target, file, silent));
  await expect(importing).rejects.toThrow(reason);
  expect(server.database.log.some(({ stream }) => !stream.startsWith('$'))).toBe(false);
});

test('imports events of a file that is spelled in another way as svc writes them', async () => {
  const { events, file, folder } = await anExport();
  const lines = (await readFile(file, 'utf8')).split('\n');
  const spelled = lines.map((line, at) =>
    at % 3 === 0 && line.startsWith('{"event":') ? line.replace('"data":{', '"data": {') : line,
  );
  const content = spelled.slice(0, -2).map((line) => `${line}\n`);
  const sha256 = createHash('sha256').update(content.join('')).digest('hex');
  await writeFile(file, `${content.join('')}${JSON.stringify({ end: { events: 1_265, sha256 } })}\n`);
  await withHistory(embedded(folder), (target) => importHistory(target, file, silent));
  const database = new DatabaseSync(join(folder, 'log.sqlite'), { readOnly: true });
  const rows = database.prepare('SELECT data, metadata FROM events ORDER BY position').all();
  database.close();
  expect(rows).toEqual(
    events.map(({ data, metadata }) => ({ data: JSON.stringify(data), metadata: JSON.stringify(metadata) })),
  );
});

test('makes the file readable by its owner only, and does not overwrite a file', async () => {
  const { path, file } = await anExport();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const exporting = withHistory(embedded(path), (source) => exportHistory(source, file, silent));
  await expect(exporting).rejects.toThrow('already exists');
});
