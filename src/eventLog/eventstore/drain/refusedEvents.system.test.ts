import { expect, onTestFinished, test, vi } from 'vitest';
import { committed } from '../../../../test/contract/eventLog/outcomes.ts';
import { anEvent, someEvents } from '../../../../test/contract/events.ts';
import { collectFaults } from '../../../../test/support/collectFaults.ts';
import type { FakeEventStoreOptions } from '../../../../test/support/eventstore/fakeEventStore.ts';
import { aStage } from '../../../../test/support/eventstore/stage.ts';
import { statuses } from '../../../../test/support/eventstore/statuses.ts';
import { NO_STREAM } from '../../eventLog.ts';
import { isBreak, verifyStream } from '../../hashChain.ts';
import { openOutbox } from '../../outbox/outbox.ts';
import { parseConnectionString } from '../client/connectionString.ts';
import { startDrainThread } from './drainThread.ts';

// What the drainer does with events that EventStoreDB will never take, and with streams that were deleted or truncated.

const REQUESTS = 'requests-n1.b1_20260101';
const SESSIONS = 'sessions-n1.b1_20260101';
const soon = { timeout: 15_000, interval: 10 };

/** A node with an outbox; a restart opens both again. */
async function aNode(options: FakeEventStoreOptions = {}) {
  const stage = await aStage(options);
  const { server, mirrorPath } = stage;
  const path = `${mirrorPath}.outbox`;
  const settings = parseConnectionString(server.url);
  const start = async () => {
    const lines: string[] = [];
    const faults = collectFaults(lines);
    const store = await stage.open({ faults });
    const { replicationTarget } = store;
    const outbox = await openOutbox({
      path,
      node: 'n1',
      store: replicationTarget,
      drain: (drain) => startDrainThread({ path, mirrorPath, settings, store: replicationTarget, ...drain }),
      maxEvents: 10_000,
      faults,
      report: (error) => lines.push(String(error)),
    });
    onTestFinished(() => outbox.close(0));
    outbox.start();
    const stop = async () => {
      await outbox.close(0);
      await store.close();
    };
    const untilDrained = () => vi.waitUntil(() => outbox.pending === 0, soon);
    return { store, outbox, faults, lines, stop, untilDrained };
  };
  return { ...stage, start };
}

const tooLarge = () => anEvent({ correlationId: 'x'.repeat(30_000) });

test('parks an event of one byte too much, and drains everything else, sessions included', async () => {
  const { database, start } = await aNode({ version: '24.10.5', maxAppendBytes: 20_000 });
  const { store, outbox, lines, untilDrained } = await start();
  const bad = tooLarge();
  await committed(outbox.append(REQUESTS, NO_STREAM, [...someEvents(3), bad, ...someEvents(40)]));
  await committed(outbox.append(SESSIONS, NO_STREAM, someEvents(5)));
  await untilDrained();
  expect(outbox.parked).toBe(1);
  expect(lines).toEqual([expect.stringContaining(`${bad.type} ${bad.id} of ${REQUESTS} (30`)]);
  expect(lines[0]).toContain('EventStoreDB accepts at most 20000 bytes in one append');
  expect([database.visible(REQUESTS)?.length, database.visible(SESSIONS)?.length]).toEqual([44, 5]);
  await store.catchUp();
  const requests = await Array.fromAsync(store.log.readStream(REQUESTS));
  expect(requests[3]).toMatchObject({ type: 'EventParked', data: { eventId: bad.id } });
  expect(isBreak(verifyStream(requests))).toBe(false);
});

test.each([
  ['soft-deleted', (stage: Awaited<ReturnType<typeof aNode>>) => void stage.database.softDelete(REQUESTS, 'any')],
  ['truncated', (stage: Awaited<ReturnType<typeof aNode>>) => stage.database.setMetadata(REQUESTS, { $tb: 20 })],
])('counts a repeat as written whose stream was %s meanwhile, and names the stream', async (_, hide) => {
  const stage = await aNode();
  const { outbox, faults, untilDrained } = await stage.start();
  stage.server.nextAppends({ isWritten: true, end: statuses.unavailable });
  const unhide = stage.database.onAppended(() => {
    unhide();
    hide(stage);
  });
  await committed(outbox.append(REQUESTS, NO_STREAM, someEvents(20)));
  await untilDrained();
  await committed(outbox.append(REQUESTS, 19, someEvents(5)));
  await untilDrained();
  expect(stage.database.log.filter(({ stream }) => stream === REQUESTS)).toHaveLength(25);
  expect(faults.current.map(({ code, subject }) => [code, subject])).toContainEqual(['stream_truncated', REQUESTS]);
});

test('counts nothing twice after kill -9 and a truncated, scavenged stream', async () => {
  const { database, server, start } = await aNode();
  const first = await start();
  await committed(first.outbox.append(SESSIONS, NO_STREAM, someEvents(1)));
  await first.untilDrained();
  server.allAppends({ isWritten: true, end: statuses.unavailable });
  await committed(first.outbox.append(REQUESTS, NO_STREAM, someEvents(20)));
  // Written, and the node does not know it when it ends.
  await vi.waitUntil(() => database.visible(REQUESTS)?.length === 20, soon);
  await first.stop();
  server.allAppends();
  database.setMetadata(REQUESTS, { $tb: 20 });
  database.scavenge();
  database.forgetRecentIds();
  const before = database.log.length;
  const second = await start();
  expect([second.outbox.pending, second.outbox.earlierStreams.size]).toEqual([0, 0]);
  await committed(second.outbox.append(SESSIONS.replace('b1', 'b2'), NO_STREAM, someEvents(1)));
  await second.untilDrained();
  expect(database.log.length).toBe(before + 1);
});

test('parks what waits in a tombstoned stream, goes on in a fresh one, and starts again', async () => {
  const { database, server, start } = await aNode();
  const first = await start();
  await committed(first.outbox.append(REQUESTS, NO_STREAM, someEvents(10)));
  await first.untilDrained();
  database.tombstone(REQUESTS, 'any');
  await committed(first.outbox.append(REQUESTS, 9, someEvents(4)));
  await committed(first.outbox.append(SESSIONS, NO_STREAM, someEvents(2)));
  await first.untilDrained();
  expect([first.outbox.parked, database.visible(SESSIONS)?.length]).toEqual([4, 2]);
  expect(first.lines.join('\n')).toMatch(new RegExp(`4 events of ${REQUESTS} are parked in .*permanently deleted`));
  const fresh = someEvents(3);
  expect(await first.outbox.append(REQUESTS, 13, fresh)).toEqual({ kind: 'conflict', actualRevision: -1 });
  await committed(first.outbox.append(REQUESTS, NO_STREAM, fresh));
  await first.untilDrained();
  expect(database.visible(`${REQUESTS}_2`)?.map(({ id }) => id)).toEqual(fresh.map(({ id }) => id));
  await first.stop();
  const second = await start();
  expect([second.outbox.pending, second.outbox.parked]).toEqual([0, 4]);
  expect(second.faults.current.map(({ code }) => code)).toContain('event_parked');
  await second.stop();
  expect(server.calls.get('Append')).toBeLessThan(20);
});

test('starts although the stream of events that wait was tombstoned while the node was stopped', async () => {
  const { database, server, start, restart } = await aNode();
  const first = await start();
  const early = someEvents(6);
  await committed(first.outbox.append(REQUESTS, NO_STREAM, early));
  await first.untilDrained();
  await server.kill();
  await committed(first.outbox.append(REQUESTS, 5, someEvents(7)));
  await first.stop();
  database.tombstone(REQUESTS, 'any');
  await restart();
  const second = await start();
  await second.untilDrained();
  expect(second.outbox.parked).toBe(7);
  expect(second.lines.join('\n')).toMatch(new RegExp(`7 events of ${REQUESTS} are parked`));
});
