import { expect, onTestFinished, test } from 'vitest';
import { committed } from '../../../test/contract/eventLog/outcomes.ts';
import { anEvent, aStream, someEvents } from '../../../test/contract/events.ts';
import type { AppendFate } from '../../../test/support/eventstore/appendCalls.ts';
import { startLink } from '../../../test/support/eventstore/link.ts';
import { aStage } from '../../../test/support/eventstore/stage.ts';
import { statuses } from '../../../test/support/eventstore/statuses.ts';
import { type EventLog, type EventToAppend, NO_STREAM } from '../eventLog.ts';
import { isBreak, verifyStream } from '../hashChain.ts';

// Every row of event-sourcing.md B1.0's table of appends, and of C.3, over the classic path: an outcome that nobody knows
// is `unknown` in time, and the same append again is written once. The stage fails on any unhandled rejection.

/** As its callers do: repeats with the same ids until the end is known. */
async function appendFirmly(log: EventLog, stream: string, expected: number, events: readonly EventToAppend[]) {
  for (let repeat = 0; repeat < 100; repeat += 1) {
    const outcome = await log.append(stream, expected, events);
    if (outcome.kind !== 'unknown') return outcome;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('its end was never known');
}

const fates: readonly [name: string, fate: AppendFate][] = [
  ['never answered, not written', { isWritten: false, end: 'never' }],
  ['never answered, but written', { isWritten: true, end: 'never' }],
  ['written during a shutdown and timed out', { isWritten: true, end: statuses.timeout }],
  ['sent to a server that starts', { isWritten: false, end: statuses.notReady }],
  ['cut off before it was written', { isWritten: false, end: statuses.unavailable }],
  ['cut off after it was written', { isWritten: true, end: statuses.unavailable }],
  ['cancelled by a node that shuts down', { isWritten: true, end: statuses.cancelled }],
  ['ended with OK before the answer', { isWritten: true, end: statuses.ok }],
  ['reset without a status', { isWritten: true, end: 'reset' }],
  ['answered by an internal error', { isWritten: true, end: statuses.internal }],
  ['refused for lack of rights, which can be mended', { isWritten: false, end: statuses.accessDenied }],
];

test.each(fates)('an append that is %s is unknown, and the same again is written once', async (_, fate) => {
  const { server, database, open } = await aStage();
  const { log } = await open();
  const stream = aStream();
  const events = someEvents(3);
  server.nextAppends(fate);
  expect(await log.append(stream, NO_STREAM, events)).toEqual({ kind: 'unknown', error: expect.any(Error) });
  expect(await log.append(stream, NO_STREAM, events)).toMatchObject({ kind: 'committed', revision: 2 });
  expect(await log.append(stream, 2, [anEvent()])).toMatchObject({ kind: 'committed', revision: 3 });
  expect(database.visible(stream)).toHaveLength(4);
  expect(isBreak(verifyStream(await Array.fromAsync(log.readStream(stream))))).toBe(false);
});

test('an append of unknown end that was written, and behind which another wrote, is found to be committed', async () => {
  const { server, open } = await aStage();
  const { log } = await open();
  const stream = aStream();
  const events = someEvents(2);
  server.nextAppends({ isWritten: true, end: statuses.timeout });
  expect(await log.append(stream, NO_STREAM, events)).toMatchObject({ kind: 'unknown' });
  await committed(log.append(stream, 1, someEvents(5)));
  expect(await log.append(stream, NO_STREAM, events)).toMatchObject({ kind: 'committed', revision: 1, position: 2 });
});

test('a node that does not lead has written nothing: its leader is asked, as the caller never learns', async () => {
  const { server, database, open } = await aStage();
  const { log } = await open();
  const stream = aStream();
  server.nextAppends({ isWritten: false, end: statuses.notLeader('127.0.0.1', server.port) });
  expect(await log.append(stream, NO_STREAM, [anEvent()])).toMatchObject({ kind: 'committed' });
  expect(database.visible(stream)).toHaveLength(1);
});

test('a server that is killed with 400 appends queued leaves each unknown or committed, and none is written twice', async () => {
  const { server, database, open, restart } = await aStage();
  const { log } = await open();
  const appends = Array.from({ length: 400 }, () => ({ stream: aStream(), events: [anEvent()] }));
  const first = Promise.all(appends.map(({ stream, events }) => log.append(stream, NO_STREAM, events)));
  setTimeout(() => void server.kill(), 15);
  const kinds = new Set((await first).map(({ kind }) => kind));
  expect(kinds.has('unknown')).toBe(true);
  expect(kinds.has('conflict') || kinds.has('rejected')).toBe(false);
  await restart();
  const again = await Promise.all(appends.map(({ stream, events }) => appendFirmly(log, stream, NO_STREAM, events)));
  expect(again.filter(({ kind }) => kind !== 'committed')).toEqual([]);
  for (const { stream } of appends) expect(database.visible(stream)).toHaveLength(1);
});

test('while the server is down an append is unknown at once, and written when it is back', async () => {
  const { server, database, open, restart } = await aStage();
  const { log } = await open();
  const stream = aStream();
  await server.kill();
  const events = [anEvent()];
  const startedAt = performance.now();
  expect(await log.append(stream, NO_STREAM, events)).toMatchObject({ kind: 'unknown' });
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  await restart();
  expect(await appendFirmly(log, stream, NO_STREAM, events)).toMatchObject({ kind: 'committed' });
  expect(database.visible(stream)).toHaveLength(1);
});

test('a server that shuts down in order writes what it times out on', async () => {
  const { server, database, open, restart } = await aStage();
  const { log } = await open();
  const appends = Array.from({ length: 30 }, () => ({ stream: aStream(), events: [anEvent()] }));
  const underWay = Promise.all(appends.map(({ stream, events }) => log.append(stream, NO_STREAM, events)));
  await server.terminate();
  await underWay;
  await restart();
  const again = await Promise.all(appends.map(({ stream, events }) => appendFirmly(log, stream, NO_STREAM, events)));
  expect(again.filter(({ kind }) => kind !== 'committed')).toEqual([]);
  for (const { stream } of appends) expect(database.visible(stream)).toHaveLength(1);
});

test('a server that stands still leaves an append unknown at its deadline, and goes on as if nothing had been', async () => {
  const { server, database, open } = await aStage();
  const link = await startLink(server);
  onTestFinished(() => link[Symbol.asyncDispose]());
  const { log } = await open({ url: `esdb://127.0.0.1:${link.port}?tls=false` });
  const stream = aStream();
  const events = [anEvent()];
  link.freeze();
  const startedAt = performance.now();
  expect(await log.append(stream, NO_STREAM, events)).toMatchObject({ kind: 'unknown' });
  expect(performance.now() - startedAt).toBeLessThan(2_300);
  link.thaw();
  expect(await appendFirmly(log, stream, NO_STREAM, events)).toMatchObject({ kind: 'committed' });
  expect(database.visible(stream)).toHaveLength(1);
});

test('when the connection of one node is cut the appends of another do not notice', async () => {
  const { server, open, mirrorPath } = await aStage();
  const link = await startLink(server);
  onTestFinished(() => link[Symbol.asyncDispose]());
  const cut = await open({ url: `esdb://127.0.0.1:${link.port}?tls=false` });
  const healthy = await open({ path: `${mirrorPath}.2`, node: 'n2', appendDeadlineMs: 5_000 });
  const appends = Array.from({ length: 50 }, () => healthy.log.append(aStream(), NO_STREAM, [anEvent()]));
  const ofCut = Array.from({ length: 20 }, () => cut.log.append(aStream(), NO_STREAM, [anEvent()]));
  link.cut();
  expect((await Promise.all(appends)).every(({ kind }) => kind === 'committed')).toBe(true);
  await Promise.all(ofCut);
});

test('more data than the server takes at once is rejected, alone; metadata does not count before 24.10.4', async () => {
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
    { kind: 'rejected', reason: 'EventStoreDB takes at most 20000 bytes at once' },
    { kind: 'committed' },
  ]);
});

test('so is an event that is larger than the server was told to take', async () => {
  const { open } = await aStage({ maxEventBytes: 5_000 });
  const { log } = await open();
  const outcome = await log.append(aStream(), NO_STREAM, [anEvent({ correlationId: 'x'.repeat(6_000) })]);
  expect(outcome).toMatchObject({ kind: 'rejected', reason: expect.stringContaining('MaxAppendEventSize') });
});

test('a message of 20 MB is rejected', async () => {
  const { open } = await aStage();
  const { log } = await open({ appendDeadlineMs: 10_000 });
  const outcome = await log.append(aStream(), NO_STREAM, [anEvent({ correlationId: 'x'.repeat(20_000_000) })]);
  expect(outcome).toMatchObject({ kind: 'rejected', reason: expect.stringContaining('larger than a message') });
});

test('a stream that was deleted for good is rejected with its name', async () => {
  const { database, open } = await aStage();
  const { log } = await open();
  const stream = aStream();
  await committed(log.append(stream, NO_STREAM, [anEvent()]));
  database.tombstone(stream, 0n);
  expect(await log.append(stream, 0, [anEvent()])).toEqual({
    kind: 'rejected',
    reason: expect.stringContaining(stream),
  });
});

test('an id that stands elsewhere in the log is rejected, although the server would write it again', async () => {
  const { open } = await aStage();
  const { log } = await open();
  const [one, other] = [aStream(), aStream()];
  const event = anEvent();
  await committed(log.append(one, NO_STREAM, [event]));
  for (const append of [log.append(other, NO_STREAM, [event]), log.append(one, 0, [event])]) {
    expect(await append).toEqual({ kind: 'rejected', reason: expect.stringContaining('an id belongs to one event') });
  }
});

test('appends that wait for each other go along in one call, and never over the batch path', async () => {
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

test('what goes along with an append that conflicts is decided by itself', async () => {
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
