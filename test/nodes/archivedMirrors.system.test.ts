import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ARCHIVE_STREAM, DayArchived } from '../../src/domain/archive/events.ts';
import { position } from '../../src/domain/core/brands.ts';
import { IpAllowed } from '../../src/domain/firewall/events.ts';
import type { IpAddress } from '../../src/domain/firewall/ipAddress.ts';
import { segmentStreamOf } from '../../src/eventLog/archive/segmentStreams.ts';
import { newEventId } from '../../src/eventLog/eventId.ts';
import type { EventStore } from '../../src/eventLog/eventstore/eventStore.ts';
import { tempFolder } from '../contract/tempFolder.ts';
import { leavesOf, openArchivingNode, rowsOf } from '../support/archives/sharedArchiveStage.ts';
import { type FakeEventStore, startFakeEventStore } from '../support/eventstore/fakeEventStore.ts';
import { startNetworkLink } from '../support/eventstore/networkLink.ts';
import { createRandom } from '../support/random.ts';
import { dayAgo, requestAt, writeRequests } from './oldRequests.ts';

const soon = { timeout: 60_000, interval: 50 };
const CHILD = fileURLToPath(new URL('../support/archives/sharedArchiveChild.ts', import.meta.url));
const TIMING = { firstPauseMs: 5, maxPauseMs: 50, silenceMs: 200, replacedAfterMs: 50 };

async function stage() {
  const server: FakeEventStore = await startFakeEventStore();
  onTestFinished(() => server.kill());
  async function folder(): Promise<string> {
    const temp = await tempFolder();
    onTestFinished(() => temp[Symbol.asyncDispose]());
    return temp.path;
  }
  return {
    server,
    folder,
    async open(name: string, path?: string, url = server.url) {
      const node = await openArchivingNode(url, path ?? (await folder()), name, { timing: TIMING });
      onTestFinished(() => node.close());
      return node;
    },
  };
}

let ips = 0;
let last = -1;
/** An event that is never archived, between requests. */
async function allowIp(store: EventStore): Promise<void> {
  const { type, data } = IpAllowed({ ip: `10.0.${ips >> 8}.${ips++ & 255}` as IpAddress });
  const event = { id: newEventId(), type, data, actor: { kind: 'system', reason: 'test' } as const };
  for await (const { revision } of store.log.readStream('firewall-main')) last = revision;
  const written = { ...event, time: requestAt(1, Date.now()).time, correlationId: 'test' };
  const outcome = await store.log.append('firewall-main', last, [written]);
  expect(outcome.kind).toBe('committed');
  last += 1;
}

test('mirrors that were behind, and new ones, count as before whatever a scavenge has come to', {
  timeout: 240_000,
}, async () => {
  const random = createRandom(20_781);
  for (let round = 0; round < 4; round += 1) {
    last = -1;
    const { server, open, folder } = await stage();
    const writer = await open('writer');
    const behind = await folder();
    const stops = random.between(0, 5);
    for (let part = 0; part < 6; part += 1) {
      await writeRequests(writer.store, 9 - part, random.between(20, 60));
      if (part % 2 === 0) await allowIp(writer.store);
      // A node that is stopped within a day, and started when all of it is archived.
      if (part === stops) await (await open('behind', behind)).close();
      await writeRequests(writer.store, 9 - part, random.between(20, 60), 'b2');
      await allowIp(writer.store);
    }
    const whole = leavesOf(writer.path);
    await writer.archive(dayAgo(random.between(2, 8)));
    await writer.archive(dayAgo(1));
    server.database.scavenge((chunk) => (chunk * 7 + round) % 3 !== 0);
    server.database.forgetRecentIds();
    const nodes = [await open('fresh'), await open('behind', behind)];
    if (round % 2 === 0) server.database.scavenge();
    nodes.push(await open('later'));
    for (const node of nodes) {
      await node.store.catchUp();
      expect(leavesOf(node.path).slice(0, whole.length)).toEqual(whole);
      expect(node.store.breaks()).toEqual([]);
      await vi.waitFor(() => {
        expect(rowsOf(node.path).filter(({ stream }) => stream.startsWith('requests-'))).toEqual([]);
      }, soon);
      expect(node.faults.current).toEqual([]);
    }
    const all = leavesOf(writer.path);
    await allowIp(nodes[0]?.store as EventStore);
    for (const node of nodes) {
      await node.store.catchUp();
      expect(leavesOf(node.path).slice(0, all.length)).toEqual(all);
      expect(leavesOf(node.path)).toHaveLength(all.length + 1);
    }
  }
});

test('a run that is killed at any moment is continued by another node, and no day is archived twice', {
  timeout: 240_000,
}, async () => {
  const { server, open, folder } = await stage();
  const writer = await open('writer');
  const days = [8, 7, 6, 5];
  for (const day of days) await writeRequests(writer.store, day, 120);
  const whole = leavesOf(writer.path);
  const random = createRandom(Date.now());
  let kills = 0;
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const child = spawn(process.execPath, [CHILD, server.url, await folder(), dayAgo(5)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exited = once(child, 'exit');
    await Promise.race([once(child.stdout, 'data'), exited]);
    await Promise.race([delay(random.between(0, 700)), exited]);
    if (child.exitCode === null) kills += 1;
    child.kill('SIGKILL');
    await exited;
    await writer.store.catchUp();
    expect(leavesOf(writer.path).slice(0, whole.length)).toEqual(whole);
  }
  expect(kills).toBeGreaterThan(0);
  // Whichever process continues waits until the lease of the killed one is over.
  await writer.archive(dayAgo(5));
  const archived = (await Array.fromAsync(writer.store.log.readStream(ARCHIVE_STREAM))).filter(
    ({ type }) => type === DayArchived.type,
  );
  expect(archived.map(({ data }) => (data as { day: string }).day)).toEqual(days.map(dayAgo));
  const truncated = writer.shared.truncations();
  for (const day of days) {
    for (const node of [0, 1])
      expect(truncated.get(`requests-old${node}.b1_${dayAgo(day).replaceAll('-', '')}`)).toBeGreaterThan(0);
  }
  server.database.scavenge();
  const fresh = await open('fresh');
  expect(leavesOf(fresh.path).slice(0, whole.length)).toEqual(whole);
});

test('events that come late to an archived day are new events, and their outbox knows those that are archived', {
  timeout: 120_000,
}, async () => {
  const { server, open } = await stage();
  const writer = await open('writer');
  await writeRequests(writer.store, 4, 50);
  const stream = `requests-old0.b1_${dayAgo(4).replaceAll('-', '')}`;
  const events = await Array.fromAsync(writer.store.log.readStream(stream));
  await writer.archive(dayAgo(2));
  server.database.scavenge();
  server.database.forgetRecentIds();
  const ids = events.map(({ id }) => id);
  expect(await writer.store.replicationTarget.countWritten(stream, ids)).toBe(events.length);
  expect(await writer.store.replicationTarget.countWritten(stream, [...ids, newEventId()])).toBe(events.length);
  expect(writer.store.lastRevision(stream)).toBe(events.length - 1);

  const late = await writer.store.log.append(stream, events.length - 1, [requestAt(7, Date.now() - 4 * 86_400_000)]);
  expect(late).toMatchObject({ kind: 'committed', revision: events.length });
  expect(writer.store.breaks()).toEqual([]);
  const whole = leavesOf(writer.path);
  const fresh = await open('fresh');
  expect(leavesOf(fresh.path)).toEqual(whole);
  expect(fresh.store.breaks()).toEqual([]);
  expect((await fresh.archive(dayAgo(2))).archived).toMatchObject([{ day: dayAgo(4), events: 1 }]);
  server.database.scavenge();
  const third = await open('third');
  expect(leavesOf(third.path).slice(0, whole.length)).toEqual(whole);
  expect(third.faults.current).toEqual([]);
});

test('a node that runs ends when a day was archived that it had not read, and starts with all of it', {
  timeout: 120_000,
}, async () => {
  const { server, open, folder } = await stage();
  const writer = await open('writer');
  await writeRequests(writer.store, 6, 30);
  const link = await startNetworkLink(server);
  onTestFinished(() => link[Symbol.asyncDispose]());
  const behind = await folder();
  const node = await open('behind', behind, server.url.replace(String(server.port), String(link.port)));
  const failures: string[] = [];
  node.store.log.subscribe(position(0), {
    onEvents: () => undefined,
    onFailure: ({ message }) => failures.push(message),
  });
  link.freeze();
  await writeRequests(writer.store, 5, 30);
  await writer.archive(dayAgo(5));
  server.database.scavenge();
  const whole = leavesOf(writer.path);
  link.thaw();
  link.cut();
  await vi.waitFor(() => expect(failures.join()).toContain('was cut off from EventStoreDB'), soon);
  await node.close();
  const again = await open('behind', behind);
  expect(leavesOf(again.path)).toEqual(whole);
});

test('nodes archive in turn, and a held day keeps its events in the store', { timeout: 120_000 }, async () => {
  const { server, open } = await stage();
  const writer = await open('writer');
  for (const day of [6, 5, 4]) await writeRequests(writer.store, day, 40);
  const other = await open('other');
  const runs = await Promise.all([
    writer.archive(dayAgo(4), (day) => (day === dayAgo(5) ? 'held by h1' : undefined)),
    other.archive(dayAgo(4), (day) => (day === dayAgo(5) ? 'held by h1' : undefined)),
  ]);
  const days = runs.flatMap(({ archived }) => archived.map(({ day }) => day)).toSorted();
  expect(days).toEqual([dayAgo(6), dayAgo(4)]);
  expect(runs[0]?.kept).toEqual([{ day: dayAgo(5), reason: 'held by h1' }]);
  server.database.scavenge();
  const held = server.database.log.filter(({ stream }) => stream.endsWith(dayAgo(5).replaceAll('-', '')));
  expect(held.filter(({ stream }) => stream.startsWith('requests-'))).toHaveLength(40);
  // A hold that comes when the day is archived already, and not truncated yet.
  let asked = 0;
  const late = await other.archive(dayAgo(4), () => (++asked > 2 ? 'held by h2' : undefined));
  expect(late.archived).toMatchObject([{ day: dayAgo(5) }]);
  server.database.scavenge();
  expect(
    server.database.log.filter(
      ({ stream }) => stream.startsWith('requests-') && stream.endsWith(dayAgo(5).replaceAll('-', '')),
    ),
  ).toHaveLength(40);
  await writer.archive(dayAgo(4));
  server.database.scavenge();
  expect(
    server.database.log.filter(
      ({ stream }) => stream.startsWith('requests-') && stream.endsWith(dayAgo(5).replaceAll('-', '')),
    ),
  ).toHaveLength(2);
});

test('a segment that is missing in EventStoreDB refuses the start of a new node by name', {
  timeout: 60_000,
}, async () => {
  const { server, open } = await stage();
  const writer = await open('writer');
  await writeRequests(writer.store, 4, 30);
  await writer.archive(dayAgo(2));
  const [event] = await Array.fromAsync(writer.store.log.readStream(ARCHIVE_STREAM));
  const { seal } = (event as NonNullable<typeof event>).data as { seal: string };
  const stream = segmentStreamOf(seal);
  server.database.softDelete(stream, 'any');
  await expect(open('fresh')).rejects.toThrow(stream);
});
