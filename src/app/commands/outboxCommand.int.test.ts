import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { anEvent, someEvents } from '../../../test/contract/events.ts';
import { replicationTargetOverLog } from '../../../test/contract/replicationTargetOverLog.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { collectFaults } from '../../../test/support/collectFaults.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { openDataFolder } from '../../dataFolder/dataFolder.ts';
import { MarkFile } from '../../dataFolder/markFile.ts';
import { position } from '../../domain/core/brands.ts';
import type { EventToAppend } from '../../eventLog/eventLog.ts';
import { createEventSink } from '../../eventLog/eventSink.ts';
import { isBreak, verifyStream } from '../../eventLog/hashChain.ts';
import { openOutbox } from '../../eventLog/outbox/outbox.ts';
import { findOutboxLoss } from '../../eventLog/outbox/outboxLoss.ts';
import { EMPTY_LOG } from '../../eventLog/sqlite/logEnd.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import { exportOutbox, listOutbox, retryOutbox } from './outboxCommand.ts';

const failedSignIns = (count: number): EventToAppend[] =>
  Array.from({ length: count }, () =>
    anEvent({ type: 'SignInFailed', data: { method: 'password', address: '10.0.0.7' } } as Partial<EventToAppend>),
  );

/** A stopped node whose outbox has parked the given events; the store has the others. */
async function aNodeWithParked(parked: readonly EventToAppend[], category = 'requests') {
  const temp = await tempFolder();
  onTestFinished(() => temp[Symbol.asyncDispose]());
  const log = await createSqliteEventLog({ path: join(temp.path, 'store.sqlite'), node: 'n1' });
  onTestFinished(() => log.close());
  const store = replicationTargetOverLog(log);
  const config = { SVC_DATA_DIR: join(temp.path, 'data'), SVC_NODE_ID: 'n1' };
  const path = join(config.SVC_DATA_DIR, 'outbox.sqlite');
  const open = async (record: readonly EventToAppend[] = []) => {
    const folder = openDataFolder(config.SVC_DATA_DIR, { nodeId: 'n1' });
    const outbox = await openOutbox({
      path,
      node: 'n1',
      store,
      maxEvents: 1_000,
      faults: collectFaults(),
      report: () => {},
    });
    const sink = createEventSink({ log: outbox, node: 'n1', boot: folder.boot, category });
    await Promise.all(record.map((event) => sink.record(event)));
    outbox.start();
    await vi.waitUntil(() => outbox.pending === 0, waitOptions);
    const close = async () => {
      await outbox.close();
      folder.close();
    };
    return { outbox, close };
  };
  const others = someEvents(4);
  store.refuse = (batch) =>
    batch.some(({ id }) => parked.some((event) => event.id === id))
      ? { kind: 'rejected', reason: 'it is too large', scope: 'append' }
      : undefined;
  await (await open([...others, ...parked])).close();
  const lines: string[] = [];
  const options = { config, print: (line: string) => void lines.push(line) };
  const inLog = () => Array.fromAsync(log.readAll(position(0)));
  return { temp, store, config, lines, options, open, inLog };
}

test('lists what is parked, also while the service runs', async () => {
  const parked = failedSignIns(2);
  const { lines, options, open } = await aNodeWithParked(parked);
  const running = await open();
  listOutbox(options);
  expect(lines).toEqual([
    ...parked.map(({ id, type }) =>
      expect.stringMatching(new RegExp(`^20\\S+Z  ${id}  ${type}  \\d+ bytes  requests-n1\\.\\S+  it is too large$`)),
    ),
    '2 events are parked.',
  ]);
  await running.close();
});

test('drains retried events in a stream of their own, with their ids and data, and an intact chain', async () => {
  const parked = failedSignIns(3);
  const { store, lines, options, open, inLog } = await aNodeWithParked(parked);
  retryOutbox([parked[0]?.id ?? ''], options);
  retryOutbox([], options);
  expect(lines).toEqual(['1 event is drained at the next start.', '2 events are drained at the next start.']);
  store.refuse = () => undefined;
  const { outbox, close } = await open();
  expect(outbox.parked).toBe(0);
  await close();
  const drained = (await inLog()).filter(({ id }) => parked.some((event) => event.id === id));
  expect(drained.map(({ id, type, time, data }) => ({ id, type, time, data }))).toEqual(
    parked.map(({ id, type, time, data }) => ({ id, type, time, data })),
  );
  for (const stream of Object.values(Object.groupBy(await inLog(), (event) => event.stream))) {
    expect(isBreak(verifyStream(stream ?? []))).toBe(false);
  }
});

test('parks a retried event again that the store still does not take', async () => {
  const parked = failedSignIns(1);
  const { options, open } = await aNodeWithParked(parked);
  retryOutbox([], options);
  const { outbox, close } = await open();
  expect(outbox.firstParked.map(({ id }) => id)).toEqual([parked[0]?.id]);
  await close();
});

test('does not retry the beginning of a session, which may have ended since', async () => {
  const begun = anEvent({
    type: 'SessionBegun',
    data: {
      sessionId: crypto.randomUUID(),
      passwordId: crypto.randomUUID(),
      totpId: null,
      replaces: null,
      expiresAt: 9,
    },
  } as never);
  const { lines, options } = await aNodeWithParked([begun], 'sessions');
  retryOutbox([], options);
  expect(lines[0]).toBe('No event was put back.');
  expect(lines[1]).toContain('1 event is left parked: beginnings of sessions');
});

test('exports what is parked to a new file, and takes it out only on demand', async () => {
  const parked = failedSignIns(2);
  const { temp, lines, options, open } = await aNodeWithParked(parked);
  const file = join(temp.path, 'parked.ndjson');
  await exportOutbox(file, false, options);
  const exported = (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(exported).toMatchObject(parked.map(({ id, type, data }) => ({ id, type, data, reason: 'it is too large' })));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await expect(exportOutbox(file, true, options)).rejects.toThrow('already exists. Name another file.');
  const running = await open();
  expect(running.outbox.parked).toBe(2);
  await expect(exportOutbox(`${file}.2`, true, options)).rejects.toMatchObject({ code: 'DATA_FOLDER_IN_USE' });
  expect(() => retryOutbox([], options)).toThrow(expect.objectContaining({ code: 'DATA_FOLDER_IN_USE' }));
  await running.close();
  await exportOutbox(`${file}.2`, true, options);
  const again = await open();
  expect(again.outbox.parked).toBe(0);
  await again.close();
  expect(lines).toEqual([`2 events are in ${file}.`, `2 events are in ${file}.2 and no longer in the outbox.`]);
});

test('leaves nothing that looks lost when a killed node did not note what it parked', async () => {
  const parked = failedSignIns(3);
  const { temp, store, config, options, open } = await aNodeWithParked(parked);
  store.refuse = () => ({ kind: 'rejected', reason: 'it was deleted', scope: 'stream' });
  const last = failedSignIns(5);
  const running = await open(last);
  const { stream } = running.outbox.firstParked.at(-1) as { stream: string };
  await running.close();
  // As the mark was before the events were parked.
  const markPath = join(temp.path, 'outbox.mark');
  new MarkFile(markPath, { onFailure: () => {}, onRecovered: () => {} }).noteNow({
    ...EMPTY_LOG,
    streams: { [stream]: last.length - 1 },
  });
  const path = join(config.SVC_DATA_DIR, 'outbox.sqlite');
  const findLoss = () => findOutboxLoss({ path, markPath, lastInHistory: () => -1 });
  expect(findLoss()).toBeUndefined();
  retryOutbox([last[0]?.id as string], options);
  await exportOutbox(join(temp.path, 'parked.ndjson'), true, options);
  expect(findLoss()).toBeUndefined();
});

test('exports and removes nothing from an outbox that has never parked an event', async () => {
  const { temp, lines, options } = await aNodeWithParked([]);
  await exportOutbox(join(temp.path, 'parked.ndjson'), true, options);
  expect(lines).toEqual([expect.stringMatching(/^0 events are in \S+ and no longer in the outbox\.$/)]);
});

test('says that a folder has no outbox', async () => {
  await using temp = await tempFolder();
  await writeFile(join(temp.path, 'log.sqlite'), '');
  const options = { config: { SVC_DATA_DIR: temp.path, SVC_NODE_ID: 'n1' }, print: () => {} };
  expect(() => listOutbox(options)).toThrow(`There is no outbox in ${temp.path}`);
});
