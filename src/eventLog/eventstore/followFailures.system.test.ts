import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Collector, collect } from '../../../test/contract/collector.ts';
import { committed } from '../../../test/contract/eventLog/outcomes.ts';
import { anEvent, aStream, someEvents } from '../../../test/contract/events.ts';
import { startFakeEventStore } from '../../../test/support/eventstore/fakeEventStore.ts';
import { startNetworkLink } from '../../../test/support/eventstore/networkLink.ts';
import { aStage, type EventStoreStage } from '../../../test/support/eventstore/stage.ts';
import { statuses } from '../../../test/support/eventstore/statuses.ts';
import { position } from '../../domain/core/brands.ts';
import { type EventLog, NO_STREAM } from '../eventLog.ts';

// Subscriptions on a failing server leave no gap and repeat nothing (docs/stores.md#failures-by-name).

const consecutive = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const FAILURES_MS = { timeout: 10_000, interval: 10 };

/** Appends events one by one; repeats appends that fail until they are written. */
async function write(log: EventLog, stream: string, count: number): Promise<void> {
  for (let revision = NO_STREAM; revision < count - 1; revision += 1) {
    const events = [anEvent()];
    while ((await log.append(stream, revision, events)).kind !== 'committed') await delay(10);
  }
}

/** Expects that a follower received every event exactly once and in order. */
const expectComplete = (seen: Collector, count: number) => expect(seen.positions).toEqual(consecutive(count));

test.each([
  ['ends with OK, without an error from the client', statuses.ok],
  ['is cancelled by a node that is shutting down', statuses.cancelled],
  ['is lost with its server', statuses.unavailable],
  ['is reset without a status', 'reset'],
  ['is dropped because its consumer is too slow', statuses.consumerTooSlow],
  ['ends in an internal error', statuses.internal],
  ['is reset with its connection after a freeze', 'connection'],
] as const)('resumes a subscription that %s after the last handled event', async (_, how) => {
  const { server, open } = await aStage();
  const { log } = await open();
  using seen = collect(log, position(0));
  const stream = aStream();
  const writing = write(log, stream, 40);
  for (const at of [5, 15, 25]) {
    await seen.until(at);
    if (how === 'connection') server.resetConnections();
    else server.endReads(how);
  }
  await writing;
  await seen.until(40);
  expectComplete(seen, 40);
});

test('loses and repeats nothing while the server is killed and restarted', async () => {
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
  expectComplete(seen, 90);
});

test('replaces a connection that is cut', async () => {
  const { server, open } = await aStage();
  const link = await startNetworkLink(server);
  onTestFinished(() => link[Symbol.asyncDispose]());
  const { log } = await open({ url: `esdb://127.0.0.1:${link.port}?tls=false` });
  using seen = collect(log, position(0));
  await committed(log.append(aStream(), NO_STREAM, someEvents(3)));
  link.cut();
  await write(log, aStream(), 3);
  await seen.until(6);
  expectComplete(seen, 6);
});

test('notices a frozen server and resumes when it responds again', async () => {
  const { server, open, lines, mirrorPath } = await aStage();
  const link = await startNetworkLink(server);
  onTestFinished(() => link[Symbol.asyncDispose]());
  const viaLink = `esdb://127.0.0.1:${link.port}?tls=false&keepAliveInterval=100&keepAliveTimeout=100`;
  const [reader, writer] = [await open({ url: viaLink }), await open({ path: `${mirrorPath}.2`, node: 'n2' })];
  using seen = collect(reader.log, position(0));
  await write(writer.log, aStream(), 3);
  await seen.until(3);
  link.freeze();
  await vi.waitUntil(() => reader.cutOffSince !== undefined, FAILURES_MS);
  await write(writer.log, aStream(), 3);
  link.thaw();
  await seen.until(6);
  expectComplete(seen, 6);
  expect(lines).toEqual([
    expect.stringMatching(/^Lost the connection to EventStoreDB at 127\.0\.0\.1:\d+: /),
    expect.stringMatching(/^Connected to EventStoreDB again after \d+ s\.$/),
  ]);
});

test('replaces a silent subscription when the server has newer events', async () => {
  const { server, open } = await aStage();
  const { log } = await open();
  using seen = collect(log, position(0));
  await committed(log.append(aStream(), NO_STREAM, [anEvent()]));
  server.muteSubscriptions();
  const append = log.append(aStream(), NO_STREAM, [anEvent()]);
  await seen.until(2);
  expect(await append).toMatchObject({ kind: 'committed', position: 2 });
});

test('leaves no call open at the server after close', async () => {
  const { server, open } = await aStage();
  const { close, log } = await open();
  await committed(log.append(aStream(), NO_STREAM, someEvents(5)));
  expect(server.openReads).toBe(1);
  await close();
  await vi.waitUntil(() => server.openReads === 0, FAILURES_MS);
});

test('reports a lost connection once, and its recovery once', async () => {
  const { server, open, lines, restart } = await aStage();
  const store = await open();
  expect(store.cutOffSince).toBeUndefined();
  await server.kill();
  await vi.waitUntil(() => lines.length > 0, FAILURES_MS);
  await delay(100);
  expect(lines).toEqual([expect.stringMatching(/^Lost the connection to EventStoreDB at 127\.0\.0\.1:\d+: /)]);
  expect(store.cutOffSince).toBeTypeOf('number');
  await restart();
  await vi.waitUntil(() => store.cutOffSince === undefined, FAILURES_MS);
  await vi.waitUntil(() => lines.length > 1, FAILURES_MS);
  expect(lines.slice(1)).toEqual([expect.stringMatching(/^Connected to EventStoreDB again after \d+ s\.$/)]);
});

test('serves what was mirrored while cut off, and fails reads that need the server', async () => {
  const { server, open } = await aStage();
  const { log } = await open();
  const stream = aStream();
  await committed(log.append(stream, NO_STREAM, someEvents(3)));
  await server.kill();
  expect(await Array.fromAsync(log.readAll(position(0)))).toHaveLength(3);
  expect(await log.head()).toBe(3);
  await expect(Array.fromAsync(log.readStream(stream))).rejects.toMatchObject({ code: 'log_unavailable' });
});

/** Starts a node, writes events and stops it. */
async function writeEvents(stage: EventStoreStage, count: number): Promise<void> {
  const { log, close } = await stage.open();
  await committed(log.append(aStream(), NO_STREAM, someEvents(count)));
  await close();
}

test('refuses to start on a server that was restored from an older backup', async () => {
  const stage = await aStage();
  await writeEvents(stage, 3);
  const backup = stage.database.backup();
  await writeEvents(stage, 2);
  await stage.server.kill();
  await stage.restart({ database: backup });
  await expect(stage.open()).rejects.toMatchObject({
    code: 'POSITION_BEYOND_LOG',
    message: expect.stringContaining('restored from an older backup'),
  });
});

test('refuses to start on a restored server with other events, and on another server', async () => {
  const stage = await aStage();
  await writeEvents(stage, 3);
  const backup = stage.database.backup();
  await writeEvents(stage, 2);
  await stage.server.kill();
  const event = { id: crypto.randomUUID(), type: 'IpAllowed', contentType: 'application/json' };
  for (let index = 0; index < 9; index += 1) {
    const [data, metadata] = [Buffer.from(`{"ip":"10.0.0.${index}"}`), Buffer.from('{}')];
    backup.append(`firewall-${index}`, -1n, [{ ...event, data, metadata }]);
  }
  await stage.restart({ database: backup });
  await expect(stage.open()).rejects.toMatchObject({ code: 'POSITION_BEYOND_LOG' });
  await using other = await startFakeEventStore();
  await expect(stage.open({ url: other.url })).rejects.toMatchObject({ code: 'POSITION_BEYOND_LOG' });
});

test.each(['23.10.6', '22.10.5', '24.1.9'])('refuses EventStoreDB %s as too old', async (version) => {
  const { open } = await aStage({ version });
  await expect(open()).rejects.toMatchObject({
    code: 'SERVER_TOO_OLD',
    message: expect.stringMatching(`^EventStoreDB ${version} is too old: svc needs 24.2 or later`),
  });
});

test.each(['24.2.0', '24.10.6', '25.1.0', '26.0.0-prerelease'])('accepts EventStoreDB %s', async (version) => {
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
    'a DNS name',
    (port: number) => `esdb+discover://127.0.0.1:${port}?tls=false&maxDiscoverAttempts=2&discoveryInterval=10`,
  ],
])('waits at the start for %s, with a line for each attempt', async (_, urlAt) => {
  const { server, lines, open, restart } = await aStage();
  await server.kill();
  const opening = open({ url: urlAt(server.port) });
  await vi.waitUntil(() => lines.length >= 2, FAILURES_MS);
  expect(lines[0]).toMatch(/^EventStoreDB at .+ cannot be used yet \(attempt 1, next in 0\.02 s\): .+/);
  expect(lines[1]).toMatch(/\(attempt 2, /);
  await restart();
  const { log } = await opening;
  expect(await log.append(aStream(), NO_STREAM, [anEvent()])).toMatchObject({ kind: 'committed' });
});

test('switches to another node of a cluster when one is down', async () => {
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
  expectComplete(seen, 10);
});

test('reports a wrong password at the start without printing it', async () => {
  const { lines, open, server } = await aStage({ users: { admin: 'changeit' } });
  const ending = new AbortController();
  const opening = open({ url: `esdb://admin:hunter2@127.0.0.1:${server.port}?tls=false`, signal: ending.signal });
  await vi.waitUntil(() => lines.length >= 1, FAILURES_MS);
  ending.abort();
  await expect(opening).rejects.toThrow();
  expect(lines[0]).toContain('refuses the user or password of SVC_EVENTSTORE_URL');
  expect(lines.join()).not.toContain('hunter2');
});

test.each([
  ['deleted', (path: string) => rmSync(path)],
  ['damaged', (path: string) => writeFileSync(path, 'x'.repeat(50_000))],
])('rebuilds a mirror that was %s, with the same positions', async (_, harm) => {
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

test('counts the same positions on every node despite other events and scavenged ones', async () => {
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

test('resumes after a restart although the event read last was scavenged', async () => {
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

test('follows another node, and reads its latest events from the stream at once', async () => {
  const { open, mirrorPath } = await aStage();
  const [one, other] = [await open(), await open({ path: `${mirrorPath}.2`, node: 'n2' })];
  using seen = collect(other.log, position(0));
  const stream = aStream();
  for (let revision = NO_STREAM; revision < 20; revision += 1) {
    await committed(one.log.append(stream, revision, [anEvent()]));
    expect(await Array.fromAsync(other.log.readStream(stream))).toHaveLength(revision + 2);
  }
  await seen.until(21);
  expectComplete(seen, 21);
});
