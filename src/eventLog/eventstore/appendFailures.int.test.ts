import { expect, onTestFinished, test, vi } from 'vitest';
import { committed } from '../../../test/contract/eventLog/outcomes.ts';
import { anEvent, aStream, someEvents } from '../../../test/contract/events.ts';
import type { AppendFault } from '../../../test/support/eventstore/appendCalls.ts';
import { startNetworkLink } from '../../../test/support/eventstore/networkLink.ts';
import { aStage } from '../../../test/support/eventstore/stage.ts';
import { statuses } from '../../../test/support/eventstore/statuses.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { type EventLog, type EventToAppend, NO_STREAM } from '../eventLog.ts';
import { isBreak, verifyStream } from '../hashChain.ts';

// What happens to appends on a failing server (docs/stores.md#failures-by-name): an open outcome becomes `unknown` within
// the deadline, and the repeated append is written once. The stage fails on any unhandled rejection.

/** Repeats an append with the same ids until its outcome is known, as the command handler does. */
async function appendUntilKnown(log: EventLog, stream: string, expected: number, events: readonly EventToAppend[]) {
  for (let repeat = 0; repeat < 100; repeat += 1) {
    const outcome = await log.append(stream, expected, events);
    if (outcome.kind !== 'unknown') return outcome;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the outcome stayed unknown');
}

const faults: readonly [name: string, fault: AppendFault][] = [
  ['never answered, not written', { isWritten: false, end: 'never' }],
  ['never answered, but written', { isWritten: true, end: 'never' }],
  ['written during a shutdown and timed out', { isWritten: true, end: statuses.timeout }],
  ['sent to a server that is starting', { isWritten: false, end: statuses.notReady }],
  ['cut off before it was written', { isWritten: false, end: statuses.unavailable }],
  ['cut off after it was written', { isWritten: true, end: statuses.unavailable }],
  ['cancelled by a node that is shutting down', { isWritten: true, end: statuses.cancelled }],
  ['ended with OK before the response', { isWritten: true, end: statuses.ok }],
  ['reset without a status', { isWritten: true, end: 'reset' }],
  ['answered with an internal error', { isWritten: true, end: statuses.internal }],
  ['refused because the user lacks a right', { isWritten: false, end: statuses.accessDenied }],
];

test.each(faults)('reports an append that is %s as unknown and writes its repeat once', async (_, fault) => {
  const { server, database, open } = await aStage();
  const { log } = await open();
  const stream = aStream();
  const events = someEvents(3);
  server.nextAppends(fault);
  expect(await log.append(stream, NO_STREAM, events)).toEqual({ kind: 'unknown', error: expect.any(Error) });
  // On a busy machine the deadline of a repeat may pass as well.
  const last = [anEvent()];
  expect(await appendUntilKnown(log, stream, NO_STREAM, events)).toMatchObject({ kind: 'committed', revision: 2 });
  expect(await appendUntilKnown(log, stream, 2, last)).toMatchObject({ kind: 'committed', revision: 3 });
  expect(database.visible(stream)).toHaveLength(4);
  expect(isBreak(verifyStream(await Array.fromAsync(log.readStream(stream))))).toBe(false);
});

test('finds an append of unknown outcome committed after another append continued the stream', async () => {
  const { server, open } = await aStage();
  const { log } = await open();
  const stream = aStream();
  const events = someEvents(2);
  server.nextAppends({ isWritten: true, end: statuses.timeout });
  expect(await log.append(stream, NO_STREAM, events)).toMatchObject({ kind: 'unknown' });
  // On a busy machine their outcome may be unknown, too.
  await committed(appendUntilKnown(log, stream, 1, someEvents(5)));
  const outcome = await appendUntilKnown(log, stream, NO_STREAM, events);
  expect(outcome).toMatchObject({ kind: 'committed', revision: 1, position: 2 });
});

test('repeats an append at the leader when another node refuses it', async () => {
  const { server, database, open } = await aStage();
  const { log } = await open();
  const stream = aStream();
  server.nextAppends({ isWritten: false, end: statuses.notLeader('127.0.0.1', server.port) });
  expect(await log.append(stream, NO_STREAM, [anEvent()])).toMatchObject({ kind: 'committed' });
  expect(database.visible(stream)).toHaveLength(1);
});

test('writes each of 400 queued appends once although the server is killed', async () => {
  const { server, database, open, restart } = await aStage();
  const { log } = await open();
  const appends = Array.from({ length: 400 }, () => ({ stream: aStream(), events: [anEvent()] }));
  const first = Promise.all(appends.map(({ stream, events }) => log.append(stream, NO_STREAM, events)));
  setTimeout(() => void server.kill(), 15);
  const kinds = new Set((await first).map(({ kind }) => kind));
  expect(kinds.has('unknown')).toBe(true);
  expect(kinds.has('conflict') || kinds.has('rejected')).toBe(false);
  await restart();
  const again = await Promise.all(
    appends.map(({ stream, events }) => appendUntilKnown(log, stream, NO_STREAM, events)),
  );
  expect(again.filter(({ kind }) => kind !== 'committed')).toEqual([]);
  for (const { stream } of appends) expect(database.visible(stream)).toHaveLength(1);
});

test('reports an append as unknown at once while the server is down, and writes it later', async () => {
  const { server, database, open, restart } = await aStage();
  const { log } = await open();
  const stream = aStream();
  await server.kill();
  const events = [anEvent()];
  const startedAt = performance.now();
  expect(await log.append(stream, NO_STREAM, events)).toMatchObject({ kind: 'unknown' });
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  // Once the loss of the connection is noticed, nothing leaves this node.
  await vi.waitUntil(async () => {
    const outcome = await log.append(stream, NO_STREAM, events);
    return outcome.kind === 'unknown' && outcome.wasSent === false;
  });
  await restart();
  expect(await appendUntilKnown(log, stream, NO_STREAM, events)).toMatchObject({ kind: 'committed' });
  expect(database.visible(stream)).toHaveLength(1);
});

test('writes appends once that time out while the server shuts down in order', async () => {
  const { server, database, open, restart } = await aStage();
  const { log } = await open();
  const appends = Array.from({ length: 30 }, () => ({ stream: aStream(), events: [anEvent()] }));
  const pending = Promise.all(appends.map(({ stream, events }) => log.append(stream, NO_STREAM, events)));
  await server.terminate();
  await pending;
  await restart();
  const again = await Promise.all(
    appends.map(({ stream, events }) => appendUntilKnown(log, stream, NO_STREAM, events)),
  );
  expect(again.filter(({ kind }) => kind !== 'committed')).toEqual([]);
  for (const { stream } of appends) expect(database.visible(stream)).toHaveLength(1);
});

test('writes an append once after the disk of the server was full', async () => {
  const { server, database, open } = await aStage();
  const { log } = await open();
  const [stream, events] = [aStream(), someEvents(2)];
  database.isDiskFull = true;
  expect(await log.append(stream, NO_STREAM, events)).toMatchObject({ kind: 'unknown' });
  await vi.waitUntil(() => !server.isRunning, waitOptions);
  database.isDiskFull = false;
  await server.start();
  expect(await appendUntilKnown(log, stream, NO_STREAM, events)).toMatchObject({ kind: 'committed', revision: 1 });
  expect(database.visible(stream)).toHaveLength(2);
});

test('reports an append as unknown at its deadline while the server is frozen', async () => {
  const { server, database, open } = await aStage();
  const link = await startNetworkLink(server);
  onTestFinished(() => link[Symbol.asyncDispose]());
  const { log } = await open({ url: `esdb://127.0.0.1:${link.port}?tls=false` });
  const stream = aStream();
  const events = [anEvent()];
  link.freeze();
  const startedAt = performance.now();
  expect(await log.append(stream, NO_STREAM, events)).toMatchObject({ kind: 'unknown' });
  expect(performance.now() - startedAt).toBeLessThan(2_300);
  link.thaw();
  expect(await appendUntilKnown(log, stream, NO_STREAM, events)).toMatchObject({ kind: 'committed' });
  expect(database.visible(stream)).toHaveLength(1);
});

test('commits the appends of one node while the connection of another is cut', async () => {
  const { server, open, mirrorPath } = await aStage();
  const link = await startNetworkLink(server);
  onTestFinished(() => link[Symbol.asyncDispose]());
  const cut = await open({ url: `esdb://127.0.0.1:${link.port}?tls=false` });
  const healthy = await open({ path: `${mirrorPath}.2`, node: 'n2', appendDeadlineMs: 5_000 });
  const appends = Array.from({ length: 50 }, () => healthy.log.append(aStream(), NO_STREAM, [anEvent()]));
  const cutAppends = Array.from({ length: 20 }, () => cut.log.append(aStream(), NO_STREAM, [anEvent()]));
  link.cut();
  expect((await Promise.all(appends)).every(({ kind }) => kind === 'committed')).toBe(true);
  await Promise.all(cutAppends);
});

test('rejects only the append with too much data; metadata does not count before 24.10.4', async () => {
  const { open } = await aStage({ maxAppendBytes: 20_000, version: '24.2.0' });
  const { log } = await open({ appendDeadlineMs: 10_000 });
  const stream = aStream();
  const tooMany = someEvents(2_000);
  const outcomes = await Promise.all([
    log.append(stream, NO_STREAM, [anEvent()]),
    log.append(stream, 0, tooMany),
    log.append(stream, 0, [anEvent({ correlationId: 'x'.repeat(30_000) })]),
  ]);
  expect(outcomes).toMatchObject([
    { kind: 'committed' },
    { kind: 'rejected', reason: 'EventStoreDB accepts at most 20000 bytes in one append' },
    { kind: 'committed' },
  ]);
});

test('rejects an event that is larger than the configured limit of the server', async () => {
  const { open } = await aStage({ maxEventBytes: 5_000 });
  const { log } = await open();
  const outcome = await log.append(aStream(), NO_STREAM, [anEvent({ correlationId: 'x'.repeat(6_000) })]);
  expect(outcome).toMatchObject({ kind: 'rejected', reason: expect.stringContaining('MaxAppendEventSize') });
});

test('rejects an append of 20 MB', async () => {
  const { open } = await aStage();
  const { log } = await open({ appendDeadlineMs: 10_000 });
  const events = Array.from({ length: 340 }, () => anEvent({ correlationId: 'x'.repeat(60_000) }));
  const outcome = await log.append(aStream(), NO_STREAM, events);
  expect(outcome).toMatchObject({ kind: 'rejected', reason: expect.stringContaining('1048576 bytes in one append') });
});

test('rejects an append to a tombstoned stream with its name', async () => {
  const { database, open } = await aStage();
  const { log } = await open();
  const stream = aStream();
  await committed(log.append(stream, NO_STREAM, [anEvent()]));
  database.tombstone(stream, 0n);
  expect(await log.append(stream, 0, [anEvent()])).toEqual({
    kind: 'rejected',
    reason: expect.stringContaining(stream),
    isLogFine: true,
  });
});

test('rejects an id that is used elsewhere in the log, which the server would accept', async () => {
  const { open } = await aStage();
  const { log } = await open();
  const [one, other] = [aStream(), aStream()];
  const event = anEvent();
  await committed(log.append(one, NO_STREAM, [event]));
  for (const append of [log.append(other, NO_STREAM, [event]), log.append(one, 0, [event])]) {
    expect(await append).toEqual({
      kind: 'rejected',
      reason: expect.stringContaining('an id belongs to one event'),
      isLogFine: true,
    });
  }
});

test('sends queued appends of a stream in one call, and never as a batch append', async () => {
  const { server, open } = await aStage();
  const { log } = await open();
  const stream = aStream();
  const outcomes = await Promise.all(Array.from({ length: 100 }, (_, at) => log.append(stream, at - 1, [anEvent()])));
  expect(outcomes.map((outcome) => outcome.kind === 'committed' && outcome.revision)).toEqual(
    Array.from({ length: 100 }, (_, at) => at),
  );
  expect(server.calls.get('Append')).toBeLessThan(5);
  expect(server.calls.get('BatchAppend')).toBeUndefined();
});

test('decides each append by itself when one of its group conflicts', async () => {
  const { open, mirrorPath } = await aStage();
  const [one, other] = [await open(), await open({ path: `${mirrorPath}.2`, node: 'n2' })];
  const stream = aStream();
  await committed(other.log.append(stream, NO_STREAM, [anEvent()]));
  const outcomes = await Promise.all([
    one.log.append(stream, NO_STREAM, [anEvent()]),
    one.log.append(stream, 0, [anEvent()]),
    one.log.append(stream, 1, [anEvent()]),
  ]);
  expect(outcomes).toMatchObject([
    { kind: 'conflict', actualRevision: 0 },
    { kind: 'committed', revision: 1 },
    { kind: 'committed', revision: 2 },
  ]);
});
