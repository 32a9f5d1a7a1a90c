import { expect, onTestFinished, test, vi } from 'vitest';
import { committed } from '../../../test/contract/eventLog/outcomes.ts';
import { anEvent, aStream, someEvents } from '../../../test/contract/events.ts';
import { collectFaults } from '../../../test/support/collectFaults.ts';
import { FakeDatabase } from '../../../test/support/eventstore/fakeDatabase.ts';
import { aStage, type EventStoreStage } from '../../../test/support/eventstore/stage.ts';
import { type EventLog, NO_STREAM } from '../eventLog.ts';
import { openOutbox } from '../outbox/outbox.ts';
import { parseConnectionString } from './client/connectionString.ts';
import { startDrainThread } from './drain/drainThread.ts';

// The data of the server are replaced while a node runs. A node that has lost its connection writes nothing until it has
// found the last event that it knows: an append to a new stream would succeed on any server.

const SOON = { timeout: 10_000, interval: 10 };

/** The data of another installation. */
function foreignData(): FakeDatabase {
  const database = new FakeDatabase();
  for (const [stream, type] of [
    ['vault-installation', 'InstallationKeyCreated'],
    ['firewall-main', 'IpAllowed'],
  ] as const) {
    const event = { id: crypto.randomUUID(), type, contentType: 'application/json' };
    database.append(stream, -1n, [{ ...event, data: Buffer.from('{}'), metadata: Buffer.from('{}') }]);
  }
  return database;
}

const ownEvents = ({ log }: FakeDatabase) =>
  log.filter(({ stream, type }) => !stream.startsWith('$') && !type.startsWith('$')).map(({ stream }) => stream);

async function aNode(stage: EventStoreStage) {
  const store = await stage.open({ appendDeadlineMs: 5_000 });
  await store.keys.getOrCreateInstallationKey(() => Buffer.from('wrapped'));
  await committed(store.log.append(aStream(), NO_STREAM, someEvents(3)));
  return store;
}

const lease = () =>
  ({ id: crypto.randomUUID(), type: 'LeaseTaken', epoch: 1, node: 'n1', boot: 'b', ttlMs: 1 }) as const;

async function untilCommitted(log: EventLog): Promise<void> {
  const [stream, events] = [aStream(), [anEvent()]];
  await vi.waitUntil(async () => (await log.append(stream, NO_STREAM, events)).kind === 'committed', SOON);
}

test('appends nothing to the store of another installation, and goes on once its own is back', async () => {
  const stage = await aStage();
  const { log, leases, keys } = await aNode(stage);
  const { database: own, server } = stage;
  const foreign = foreignData();
  const before = ownEvents(foreign);
  for (let round = 0; round < 5; round += 1) {
    // Before the loss of the connection is noticed, at the same time, and after it.
    const early = Array.from({ length: 5 }, () => log.append(aStream(), NO_STREAM, [anEvent()]));
    await server.swapData(foreign);
    const outcomes = await Promise.all([
      ...early,
      ...Array.from({ length: 20 }, () => log.append(aStream(), NO_STREAM, [anEvent()])),
      leases.append(`new-${round}`, NO_STREAM, lease()),
      keys.write({ id: `${round}`.repeat(16), subject: 'account_1', wrapped: Buffer.from('') }).then(
        () => ({ kind: 'committed' }),
        () => ({ kind: 'refused' }),
      ),
    ]);
    expect(outcomes.slice(5).filter(({ kind }) => kind !== 'unknown' && kind !== 'refused')).toEqual([]);
    expect(await log.append(aStream(), NO_STREAM, [anEvent()])).toMatchObject({ kind: 'unknown', wasSent: false });
    expect(ownEvents(foreign)).toEqual(before);
    await server.swapData(own);
    await untilCommitted(log);
  }
  expect(ownEvents(foreign)).toEqual(before);
});

test('names a store of another installation at once, with what to do, and says when it is over', async () => {
  const stage = await aStage();
  const { log } = await aNode(stage);
  const { database: own, server, faults, lines } = stage;
  await server.swapData(foreignData());
  await vi.waitUntil(() => faults.current.some(({ code }) => code === 'store_foreign'), SOON);
  expect(faults.current.filter(({ code }) => code === 'store_foreign')).toEqual([
    {
      code: 'store_foreign',
      cause: expect.stringMatching(/^EventStoreDB at 127\.0\.0\.1:\d+ holds the data of another installation/),
      remedy: expect.stringContaining('SVC_EVENTSTORE_URL'),
      since: expect.any(Number),
    },
  ]);
  await server.swapData(own);
  await untilCommitted(log);
  await vi.waitUntil(() => faults.current.length === 0, SOON);
  expect(lines.filter((line) => line.includes('another installation'))).toHaveLength(1);
  expect(lines.at(-1)).toMatch(/^Connected to EventStoreDB again/);
});

test('names a store that was emptied or restored from an older backup while the node runs', async () => {
  const stage = await aStage();
  const { log } = await aNode(stage);
  const { database: own, server, faults } = stage;
  const codes = () => faults.current.map(({ code }) => code);
  const older = own.backup();
  await committed(log.append(aStream(), NO_STREAM, [anEvent()]));
  await server.swapData(older);
  await vi.waitUntil(() => codes().includes('store_older'), SOON);
  const size = ownEvents(older).length;
  expect(await log.append(aStream(), NO_STREAM, [anEvent()])).toMatchObject({ kind: 'unknown', wasSent: false });
  expect(ownEvents(older)).toHaveLength(size);
  const empty = new FakeDatabase();
  await server.swapData(empty);
  await vi.waitUntil(() => codes().includes('store_foreign'), SOON);
  expect(codes()).not.toContain('store_older');
  await server.swapData(own);
  await untilCommitted(log);
  await vi.waitUntil(() => codes().length === 0, SOON);
  expect(ownEvents(empty)).toEqual([]);
});

test('drains nothing into the store of another installation, and everything once its own is back', async () => {
  const stage = await aStage();
  const store = await aNode(stage);
  const { database: own, server, mirrorPath } = stage;
  const path = `${mirrorPath}.outbox`;
  const settings = parseConnectionString(server.url);
  const outbox = await openOutbox({
    path,
    node: 'n1',
    store: store.replicationTarget,
    drain: (start) => startDrainThread({ path, mirrorPath, settings, store: store.replicationTarget, ...start }),
    maxEvents: 10_000,
    faults: collectFaults(),
    report: () => undefined,
  });
  onTestFinished(() => outbox.close(0));
  outbox.start();
  const drained = async (count: number) => {
    const stream = aStream();
    await committed(outbox.append(stream, NO_STREAM, someEvents(count)));
    return stream;
  };
  await drained(10);
  await vi.waitUntil(() => outbox.pending === 0, SOON);
  const foreign = foreignData();
  const before = ownEvents(foreign);
  const streams: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const early = drained(5);
    await server.swapData(foreign);
    streams.push(await early, await drained(30));
    await vi.waitUntil(() => outbox.blockedReason?.includes('another installation') ?? false, SOON);
    expect(ownEvents(foreign)).toEqual(before);
    await server.swapData(own);
    await vi.waitUntil(() => outbox.pending === 0, SOON);
  }
  expect(ownEvents(foreign)).toEqual(before);
  for (const [index, stream] of streams.entries()) expect(own.visible(stream)).toHaveLength(index % 2 === 0 ? 5 : 30);
});
