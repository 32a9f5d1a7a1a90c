import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Collector, collect } from '../../../test/contract/collector.ts';
import { committed } from '../../../test/contract/eventLog/outcomes.ts';
import { anEvent, aStream, someEvents } from '../../../test/contract/events.ts';
import { startFakeEventStore } from '../../../test/support/eventstore/fakeEventStore.ts';
import { startLink } from '../../../test/support/eventstore/link.ts';
import { aStage, type EventStoreStage } from '../../../test/support/eventstore/stage.ts';
import { statuses } from '../../../test/support/eventstore/statuses.ts';
import { position } from '../../domain/core/brands.ts';
import { type EventLog, NO_STREAM } from '../eventLog.ts';

// What becomes of subscriptions on a server that fails (event-sourcing.md B1.0, B1.5, C.3): no gap, no repeat.

const consecutive = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const FAILURES_MS = { timeout: 10_000, interval: 10 };

/** Repeats appends that failed with the server until they are written. */
async function write(log: EventLog, stream: string, count: number): Promise<void> {
  for (let revision = NO_STREAM; revision < count - 1; revision += 1) {
    const events = [anEvent()];
    while ((await log.append(stream, revision, events)).kind !== 'committed') await delay(10);
  }
}

/** Nothing is missing, doubled or out of order in what a follower was given. */
const expectWhole = (seen: Collector, count: number) => expect(seen.positions).toEqual(consecutive(count));

test.each([
  ['ends with OK, which the client does not tell', statuses.ok],
  ['is cancelled by a node that shuts down', statuses.cancelled],
  ['is lost with its server', statuses.unavailable],
  ['is reset without a status', 'reset'],
  ['is dropped because its reader was too slow', statuses.consumerTooSlow],
  ['ends in an internal error', statuses.internal],
] as const)('a subscription that %s goes on behind the last event that was handled', async (_, how) => {
  const { server, open } = await aStage();
  const { log } = await open();
  using seen = collect(log, position(0));
  const stream = aStream();
  const writing = write(log, stream, 40);
  for (const at of [5, 15, 25]) {
    await seen.until(at);
    server.endReads(how);
  }
  await writing;
  await seen.until(40);
  expectWhole(seen, 40);
});

test('kills and restarts of the server in the midst of writing lose and repeat nothing', async () => {
  const { server, open, restart } = await aStage();
  const { log } = await open();
  using seen = collect(log, position(0));
  const writing = write(log, aStream(), 90);
  let current = server;
  for (const at of [20, 40, 60]) {
    await seen.until(at);
    await current.kill();
    current = await restart();
  }
  await writing;
  await seen.until(90);
  expectWhole(seen, 90);
});

test('a connection that is cut is replaced', async () => {
  const { server, open } = await aStage();
  const link = await startLink(server);
  onTestFinished(() => link[Symbol.asyncDispose]());
  const { log } = await open({ url: `esdb://127.0.0.1:${link.port}?tls=false` });
  using seen = collect(log, position(0));
  await committed(log.append(aStream(), NO_STREAM, someEvents(3)));
  link.cut();
  await write(log, aStream(), 3);
  await seen.until(6);
  expectWhole(seen, 6);
});

test('a server that stands still is noticed, and read on from when it moves again', async () => {
  const { server, open, said, mirrorPath } = await aStage();
  const link = await startLink(server);
  onTestFinished(() => link[Symbol.asyncDispose]());
  const behind = `esdb://127.0.0.1:${link.port}?tls=false&keepAliveInterval=100&keepAliveTimeout=100`;
  const [reader, writer] = [await open({ url: behind }), await open({ path: `${mirrorPath}.2`, node: 'n2' })];
  using seen = collect(reader.log, position(0));
  await write(writer.log, aStream(), 3);
  await seen.until(3);
  link.freeze();
  await vi.waitUntil(() => reader.cutOffSince !== undefined, FAILURES_MS);
  await write(writer.log, aStream(), 3);
  link.thaw();
  await seen.until(6);
  expectWhole(seen, 6);
  expect(said).toEqual([expect.stringMatching(/^EventStoreDB cannot be followed: /), 'EventStoreDB is followed again']);
});

test('a subscription on which nothing comes although there is something is replaced', async () => {
  const { server, open } = await aStage();
  const { log } = await open();
  using seen = collect(log, position(0));
  await committed(log.append(aStream(), NO_STREAM, [anEvent()]));
  server.muteSubscriptions();
  const unread = log.append(aStream(), NO_STREAM, [anEvent()]);
  await seen.until(2);
  expect(await unread).toMatchObject({ kind: 'committed', position: 2 });
});

test('a node that stops leaves no call open at the server', async () => {
  const { server, open } = await aStage();
  const { close, log } = await open();
  await committed(log.append(aStream(), NO_STREAM, someEvents(5)));
  expect(server.openReads).toBe(1);
  await close();
  await vi.waitUntil(() => server.openReads === 0, FAILURES_MS);
});

test('the operator is told once that the connection is lost, and once that it is back', async () => {
  const { server, open, said, restart } = await aStage();
  const store = await open();
  expect(store.cutOffSince).toBeUndefined();
  await server.kill();
  await vi.waitUntil(() => said.length > 0, FAILURES_MS);
  await delay(100);
  expect(said).toEqual([expect.stringMatching(/^EventStoreDB cannot be followed: /)]);
  expect(store.cutOffSince).toBeTypeOf('number');
  await restart();
  await vi.waitUntil(() => store.cutOffSince === undefined, FAILURES_MS);
  expect(said.slice(1)).toEqual(['EventStoreDB is followed again']);
});

test('a node that is cut off knows what it has read, and says so of what it would have to ask', async () => {
  const { server, open } = await aStage();
  const { log } = await open();
  const stream = aStream();
  await committed(log.append(stream, NO_STREAM, someEvents(3)));
  await server.kill();
  expect(await Array.fromAsync(log.readAll(position(0)))).toHaveLength(3);
  expect(await log.head()).toBe(3);
  await expect(Array.fromAsync(log.readStream(stream))).rejects.toMatchObject({ code: 'log_unavailable' });
});

async function written(stage: EventStoreStage, count: number): Promise<void> {
  const { log, close } = await stage.open();
  await committed(log.append(aStream(), NO_STREAM, someEvents(count)));
  await close();
}

test('a server that was restored from an older backup is refused at the start, and says what to do', async () => {
  const stage = await aStage();
  await written(stage, 3);
  const backup = stage.database.backup();
  await written(stage, 2);
  await stage.server.kill();
  await stage.restart({ database: backup });
  await expect(stage.open()).rejects.toMatchObject({
    code: 'POSITION_BEYOND_LOG',
    message: expect.stringContaining('restored from an older backup'),
  });
});

test('so is one that has gone its own way since, and another server altogether', async () => {
  const stage = await aStage();
  await written(stage, 3);
  const backup = stage.database.backup();
  await written(stage, 2);
  await stage.server.kill();
  const event = { id: crypto.randomUUID(), type: 'IpAllowed', contentType: 'application/json' };
  for (let more = 0; more < 9; more += 1) {
    const [data, metadata] = [Buffer.from(`{"ip":"10.0.0.${more}"}`), Buffer.from('{}')];
    backup.append(`firewall-${more}`, -1n, [{ ...event, data, metadata }]);
  }
  await stage.restart({ database: backup });
  await expect(stage.open()).rejects.toMatchObject({ code: 'POSITION_BEYOND_LOG' });
  await using other = await startFakeEventStore();
  await expect(stage.open({ url: other.url })).rejects.toMatchObject({ code: 'POSITION_BEYOND_LOG' });
});

test('a server that is restored while a node runs stops what follows the log', async () => {
  const stage = await aStage();
  const backup = stage.database.backup();
  const { log } = await stage.open();
  await committed(log.append(aStream(), NO_STREAM, someEvents(3)));
  const seen = collect(log, position(0));
  await seen.until(3);
  await stage.server.kill();
  await stage.restart({ database: backup });
  expect(await seen.failure).toMatchObject({ code: 'POSITION_BEYOND_LOG' });
});

test.each(['23.10.6', '22.10.5', '24.1.9'])('EventStoreDB %s is refused in one clear line', async (version) => {
  const { open } = await aStage({ version });
  await expect(open()).rejects.toMatchObject({
    code: 'SERVER_TOO_OLD',
    message: expect.stringMatching(`^EventStoreDB ${version} is too old: svc needs 24.2 or later`),
  });
});

test.each(['24.2.0', '24.10.6', '25.1.0', '26.0.0-prerelease'])('EventStoreDB %s is taken', async (version) => {
  const { open } = await aStage({ version });
  await expect(open()).resolves.toBeDefined();
});

test.each([
  ['one node', (port: number) => `esdb://127.0.0.1:${port}?tls=false`],
  [
    'a cluster',
    (port: number) => `esdb://127.0.0.1:${port},127.0.0.1:${port}?tls=false&maxDiscoverAttempts=2&discoveryInterval=10`,
  ],
  [
    'a name',
    (port: number) => `esdb+discover://127.0.0.1:${port}?tls=false&maxDiscoverAttempts=2&discoveryInterval=10`,
  ],
])('a start waits for %s with a line for each attempt, and goes on when the server is there', async (_, urlAt) => {
  const { server, said, open, restart } = await aStage();
  await server.kill();
  const opening = open({ url: urlAt(server.port) });
  await vi.waitUntil(() => said.length >= 2, FAILURES_MS);
  expect(said[0]).toMatch(/^EventStoreDB at .+ cannot be used yet \(attempt 1, next in 0\.02 s\): .+/);
  expect(said[1]).toMatch(/\(attempt 2, /);
  await restart();
  const { log } = await opening;
  expect(await log.append(aStream(), NO_STREAM, [anEvent()])).toMatchObject({ kind: 'committed' });
});

test('a node of a cluster that is gone is left for another', async () => {
  const { database, server } = await aStage();
  const second = await startFakeEventStore({ database, members: () => [{ port: second.port, isLeader: true }] });
  onTestFinished(() => second.kill());
  const leaderIsFirst = { isFirst: true };
  const members = () => [
    { port: server.port, isLeader: leaderIsFirst.isFirst },
    { port: second.port, isLeader: !leaderIsFirst.isFirst },
  ];
  const asked = await startFakeEventStore({ database, members });
  onTestFinished(() => asked.kill());
  const stage = await aStage();
  const url = `esdb://127.0.0.1:${asked.port},127.0.0.1:${second.port}?tls=false&discoveryInterval=10`;
  const { log } = await stage.open({ url });
  using seen = collect(log, position(0));
  await write(log, aStream(), 5);
  leaderIsFirst.isFirst = false;
  await server.kill();
  await write(log, aStream(), 5);
  await seen.until(10);
  expectWhole(seen, 10);
});

test('a wrong password and a missing right are said at the start, without the password', async () => {
  const { said, open, server } = await aStage({ users: { admin: 'changeit' } });
  const ending = new AbortController();
  const opening = open({ url: `esdb://admin:hunter2@127.0.0.1:${server.port}?tls=false`, signal: ending.signal });
  await vi.waitUntil(() => said.length >= 1, FAILURES_MS);
  ending.abort();
  await expect(opening).rejects.toThrow();
  expect(said[0]).toContain('refuses the user or password of SVC_EVENTSTORE_URL');
  expect(said.join()).not.toContain('hunter2');
});

test.each([
  ['deleted', (path: string) => rmSync(path)],
  ['damaged', (path: string) => writeFileSync(path, 'x'.repeat(50_000))],
])('a mirror that was %s is made again, with the same positions', async (_, harm) => {
  const stage = await aStage();
  const { log, close } = await stage.open({ appendDeadlineMs: 10_000 });
  await Promise.all(Array.from({ length: 20 }, () => committed(log.append(aStream(), NO_STREAM, someEvents(3)))));
  const before = await Array.fromAsync(log.readAll(position(0)));
  await close();
  for (const end of ['-wal', '-shm']) rmSync(stage.mirrorPath + end, { force: true });
  harm(stage.mirrorPath);
  const again = await stage.open();
  expect(await Array.fromAsync(again.log.readAll(position(0)))).toEqual(before);
});

test('positions are the same on every node, whatever stands between and whatever a scavenge took away', async () => {
  const { database, open, mirrorPath } = await aStage();
  const first = await open();
  const key = { id: 'A'.repeat(16), subject: 'account_1', wrapped: Buffer.from('wrapped') };
  for (let round = 0; round < 30; round += 1) {
    await committed(first.log.append(aStream(), NO_STREAM, someEvents(2)));
    const entry = {
      id: crypto.randomUUID(),
      type: 'LeaseRenewed',
      epoch: 1,
      node: 'n1',
      boot: 'b1',
      ttlMs: 1,
    } as const;
    await first.leases.append('projector', round - 1, entry);
    database.writeSystemEvent('$stats-127.0.0.1:2113', '$statsCollected');
  }
  await first.keys.write(key);
  await first.keys.destroy(key);
  const before = await Array.fromAsync(first.log.readAll(position(0)));
  database.scavenge();
  const second = await open({ path: `${mirrorPath}.2`, node: 'n2' });
  expect(await Array.fromAsync(second.log.readAll(position(0)))).toEqual(before);
  expect(before.map((event) => event.position)).toEqual(consecutive(60));
  const { position: next } = await committed(second.log.append(aStream(), NO_STREAM, [anEvent()]));
  expect(next).toBe(61);
});

test('a start goes on where the last one ended, also when a scavenge took what it read last', async () => {
  const { database, open } = await aStage();
  const first = await open();
  await committed(first.log.append(aStream(), NO_STREAM, someEvents(3)));
  for (let revision = NO_STREAM; revision < 40; revision += 1) {
    const entry = {
      id: crypto.randomUUID(),
      type: 'LeaseRenewed',
      epoch: 1,
      node: 'n1',
      boot: 'b1',
      ttlMs: 1,
    } as const;
    await first.leases.append('projector', revision, entry);
  }
  await first.close();
  await vi.waitUntil(() => database.visible('lease-projector')?.length === 20, FAILURES_MS);
  for (let revision = 40; revision < 80; revision += 1) {
    const event = { id: crypto.randomUUID(), type: 'LeaseRenewed', contentType: 'application/json' };
    database.append('lease-projector', BigInt(revision), [
      { ...event, data: Buffer.from('{}'), metadata: Buffer.from('') },
    ]);
  }
  database.scavenge();
  const again = await open();
  expect(await again.log.head()).toBe(3);
  expect(await again.log.append(aStream(), NO_STREAM, [anEvent()])).toMatchObject({ kind: 'committed', position: 4 });
});

test('what another node writes is followed, and found by whoever reads the stream at once', async () => {
  const { open, mirrorPath } = await aStage();
  const [one, other] = [await open(), await open({ path: `${mirrorPath}.2`, node: 'n2' })];
  using seen = collect(other.log, position(0));
  const stream = aStream();
  for (let revision = NO_STREAM; revision < 20; revision += 1) {
    await committed(one.log.append(stream, revision, [anEvent()]));
    expect(await Array.fromAsync(other.log.readStream(stream))).toHaveLength(revision + 2);
  }
  await seen.until(21);
  expectWhole(seen, 21);
});
