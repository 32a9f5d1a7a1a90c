import { randomUUID } from 'node:crypto';
import { BACKWARDS, jsonEvent, NO_STREAM, START } from '@eventstore/db-client';
import { expect, onTestFinished, test } from 'vitest';
import { disposeClient, type EventStoreClient, openClient } from '../../../src/eventLog/eventstore/client/client.ts';
import { parseConnectionString } from '../../../src/eventLog/eventstore/client/connectionString.ts';
import { FakeDatabase } from './database.ts';
import { type FakeEventStore, type FakeEventStoreOptions, startFakeEventStore } from './fakeEventStore.ts';
import { statuses } from './statuses.ts';

// That the fake behaves as event-sourcing.md B1.0 says of real servers, seen through the real client.

const anEvent = (id: string = randomUUID()) => jsonEvent({ id, type: 'Tested', data: { text: 'ä' } });
const someEvents = (count: number) => Array.from({ length: count }, () => anEvent());

async function aStage(options?: FakeEventStoreOptions): Promise<{ fake: FakeEventStore; client: EventStoreClient }> {
  const fake = await startFakeEventStore(options);
  const client = openClient(parseConnectionString(fake.url));
  onTestFinished(async () => {
    await disposeClient(client);
    await fake.kill();
  });
  return { fake, client };
}

test('a repeat with an exact revision answers as the first time, also after a restart and when the stream went on', async () => {
  const { fake, client } = await aStage();
  const events = someEvents(3);
  const first = await client.appendToStream('a-1', events, { expectedRevision: NO_STREAM });
  expect(first).toMatchObject({ success: true, nextExpectedRevision: 2n });
  await client.appendToStream('a-1', someEvents(2), { expectedRevision: 2n });
  fake.database.forgetRecentIds();
  expect(await client.appendToStream('a-1', events, { expectedRevision: NO_STREAM })).toEqual(first);
});

test('a repeat of a beginning or an end is one too; mixed or reordered it is a conflict; at the tip it is written again', async () => {
  const { client } = await aStage();
  const [one, two, three] = someEvents(3) as [ReturnType<typeof anEvent>, ReturnType<typeof anEvent>, never];
  const first = await client.appendToStream('a-1', [one, two, three], { expectedRevision: NO_STREAM });
  const beginning = await client.appendToStream('a-1', [one, two], { expectedRevision: NO_STREAM });
  expect(beginning.nextExpectedRevision).toBe(1n);
  expect(await client.appendToStream('a-1', [two, three], { expectedRevision: 0n })).toEqual(first);
  for (const events of [
    [one, anEvent()],
    [two, one],
    [one, two, three, anEvent()],
  ]) {
    await expect(client.appendToStream('a-1', events, { expectedRevision: NO_STREAM })).rejects.toMatchObject({
      type: 'wrong-expected-version',
      actualVersion: 2n,
    });
  }
  const again = await client.appendToStream('a-1', [one], { expectedRevision: 2n });
  expect(again.nextExpectedRevision).toBe(3n);
});

test('with "any" a repeat is one only while the id is remembered', async () => {
  const { fake, client } = await aStage();
  const event = anEvent();
  const first = await client.appendToStream('a-1', event);
  expect(await client.appendToStream('a-1', event)).toEqual(first);
  fake.database.forgetRecentIds();
  expect((await client.appendToStream('a-1', event)).nextExpectedRevision).toBe(1n);
});

test('a conflict on a stream that does not exist says so', async () => {
  const { client } = await aStage();
  await expect(client.appendToStream('a-1', anEvent(), { expectedRevision: 4n })).rejects.toMatchObject({
    actualVersion: 'no_stream',
    message: '',
    code: undefined,
  });
});

test('the same ids with other data answer OK and the data is dropped; an append without events "succeeds"', async () => {
  const { client } = await aStage();
  const event = anEvent();
  await client.appendToStream('a-1', event, { expectedRevision: NO_STREAM });
  await client.appendToStream('a-1', { ...event, data: { text: 'b' } }, { expectedRevision: NO_STREAM });
  const read = await Array.fromAsync(client.readStream('a-1'));
  expect(read.map((resolved) => resolved.event?.data)).toEqual([{ text: 'ä' }]);
  expect((await client.appendToStream('a-2', [], { expectedRevision: NO_STREAM })).nextExpectedRevision).toBe(0n);
  await expect(Array.fromAsync(client.readStream('a-2'))).rejects.toMatchObject({ type: 'stream-not-found' });
});

test('positions in $all are strictly increasing, commit equals prepare, and an append answers that of its last event', async () => {
  const { client } = await aStage();
  const { position } = await client.appendToStream('a-1', someEvents(5), { expectedRevision: NO_STREAM });
  const all = await Array.fromAsync(client.readAll());
  const positions = all.map(({ event }) => event?.position.commit ?? 0n);
  expect(positions).toEqual(positions.toSorted((a, b) => Number(a - b)));
  expect(new Set(positions).size).toBe(positions.length);
  expect(all.at(-1)?.event?.position).toEqual(position);
  expect(all.some(({ event }) => event?.type.startsWith('$'))).toBe(true);
  const [head] = await Array.fromAsync(client.readAll({ direction: BACKWARDS, fromPosition: 'end', maxCount: 1 }));
  expect(head?.event?.position).toEqual(position);
});

test('a read from a position includes it, a subscription does not, and one between two records is an error', async () => {
  const { client } = await aStage();
  await client.appendToStream('a-1', someEvents(3), { expectedRevision: NO_STREAM });
  const all = await Array.fromAsync(client.readAll());
  const at = all.at(-2)?.event?.position ?? { commit: 0n, prepare: 0n };
  expect((await Array.fromAsync(client.readAll({ fromPosition: at }))).map(({ event }) => event?.revision)).toEqual([
    1n,
    2n,
  ]);
  const subscription = client.subscribeToAll({ fromPosition: at });
  for await (const { event } of subscription) {
    expect(event?.revision).toBe(2n);
    break;
  }
  await subscription.unsubscribe();
  const between = { commit: at.commit + 1n, prepare: at.prepare + 1n };
  await expect(Array.fromAsync(client.readAll({ fromPosition: between }))).rejects.toMatchObject({
    type: 'unknown',
    code: 2,
  });
});

test('a subscription gets what was and what comes, and learns when it caught up', async () => {
  const { client } = await aStage();
  await client.appendToStream('a-1', someEvents(3), { expectedRevision: NO_STREAM });
  const subscription = client.subscribeToAll({ fromPosition: START });
  const caughtUp = new Promise((resolve) => subscription.once('caughtUp', resolve));
  const seen: bigint[] = [];
  const reading = (async () => {
    for await (const { event } of subscription) {
      if (event?.streamId === 'a-1') seen.push(event.revision);
      if (seen.length === 5) break;
    }
  })();
  await caughtUp;
  await client.appendToStream('a-1', someEvents(2), { expectedRevision: 2n });
  await reading;
  expect(seen).toEqual([0n, 1n, 2n, 3n, 4n]);
  await subscription.unsubscribe();
});

test('breaking out of a subscription leaves its call open until it is unsubscribed', async () => {
  const { fake, client } = await aStage();
  const subscription = client.subscribeToAll({ fromPosition: START });
  for await (const _ of subscription) break;
  await client.appendToStream('a-1', someEvents(3), { expectedRevision: NO_STREAM });
  expect(fake.openReads).toBe(1);
  await subscription.unsubscribe();
  await expect.poll(() => fake.openReads).toBe(0);
});

test.each([
  ['a shutdown', 'reset', { type: 'unknown', code: 13, message: expect.stringContaining('RST_STREAM with code 0') }],
  ['a cancelled call', statuses.cancelled, { type: 'cancelled' }],
  ['a lost server', statuses.unavailable, { type: 'unavailable' }],
  ['a consumer that is too slow', statuses.consumerTooSlow, { type: 'timeout' }],
] as const)('%s ends a subscription with its own error', async (_, how, error) => {
  const { fake, client } = await aStage();
  const subscription = client.subscribeToAll({ fromPosition: START });
  subscription.once('caughtUp', () => fake.endReads(how));
  const drain = async () => {
    for await (const _ of subscription);
  };
  await expect(drain()).rejects.toMatchObject(error);
});

test('a subscription that the server ends with OK ends without a word', async () => {
  const { fake, client } = await aStage();
  const subscription = client.subscribeToAll({ fromPosition: START });
  subscription.once('caughtUp', () => fake.endReads(statuses.ok));
  for await (const _ of subscription);
});

test.each([
  ['never answered', { isWritten: false, end: 'never' }, { type: 'deadline-exceeded' }],
  ['written during a shutdown', { isWritten: true, end: statuses.timeout }, { type: 'timeout', code: 10 }],
  ['sent to a server that starts', { isWritten: false, end: statuses.notReady }, { type: 'unavailable' }],
  ['sent to a follower', { isWritten: false, end: statuses.notLeader('127.0.0.1', 1) }, { type: 'not-leader' }],
] as const)('an append that is %s', async (_, fate, error) => {
  const { fake, client } = await aStage();
  fake.nextAppends(fate);
  const deadline = fate.end === 'never' ? 300 : 10_000;
  const append = client.appendToStream('a-1', anEvent(), { expectedRevision: NO_STREAM, deadline });
  await expect(append).rejects.toMatchObject(error);
  expect(fake.database.visible('a-1')?.length).toBe(fate.isWritten ? 1 : undefined);
});

test('ids must be UUIDs, types must not be empty, and data has a limit that metadata has not', async () => {
  const { client } = await aStage({ version: '24.10.3' });
  const options = { expectedRevision: NO_STREAM } as const;
  await expect(client.appendToStream('a-1', anEvent('one'), options)).rejects.toMatchObject({
    type: 'unknown',
    code: 2,
  });
  const untyped = jsonEvent({ type: '', data: {} });
  await expect(client.appendToStream('a-1', untyped, options)).rejects.toMatchObject({ type: 'unknown', code: 2 });
  const large = 'x'.repeat(1_048_576);
  const tooLarge = jsonEvent({ type: 'Tested', data: { large } });
  await expect(client.appendToStream('a-1', tooLarge, options)).rejects.toMatchObject({
    type: 'maximum-append-size-exceeded',
    maxAppendSize: 1_048_576,
  });
  await client.appendToStream('a-1', jsonEvent({ type: 'Tested', data: {}, metadata: { large } }), options);
});

test('from 24.10.4 on metadata counts as well, and an event may have a limit that the client does not know', async () => {
  const { client } = await aStage({ version: '24.10.4', maxEventBytes: 2_000_000 });
  const options = { expectedRevision: NO_STREAM } as const;
  const metadata = { large: 'x'.repeat(1_048_576) };
  await expect(
    client.appendToStream('a-1', jsonEvent({ type: 'Tested', data: {}, metadata }), options),
  ).rejects.toMatchObject({ type: 'maximum-append-size-exceeded' });
  const data = { large: 'x'.repeat(2_000_000) };
  await expect(client.appendToStream('a-1', jsonEvent({ type: 'Tested', data }), options)).rejects.toMatchObject({
    type: 'unknown',
    code: 3,
  });
});

test('ids come back in lower case', async () => {
  const { client } = await aStage();
  await client.appendToStream('a-1', anEvent('018F4B1E-0000-7000-8000-00000000000A'));
  const [read] = await Array.fromAsync(client.readStream('a-1'));
  expect(read?.event?.id).toBe('018f4b1e-0000-7000-8000-00000000000a');
});

test('a tombstoned stream is gone for good, and a scavenge takes its bytes and leaves the positions of the others', async () => {
  const { fake, client } = await aStage();
  await client.appendToStream('a-1', someEvents(2), { expectedRevision: NO_STREAM });
  const { position } = await client.appendToStream('a-2', someEvents(1), { expectedRevision: NO_STREAM });
  await client.tombstoneStream('a-1', { expectedRevision: 1n });
  const deleted = { type: 'stream-deleted', streamName: 'a-1' };
  await expect(Array.fromAsync(client.readStream('a-1'))).rejects.toMatchObject(deleted);
  await expect(client.appendToStream('a-1', anEvent(), { expectedRevision: NO_STREAM })).rejects.toMatchObject(deleted);
  await expect(client.tombstoneStream('a-1')).rejects.toMatchObject(deleted);
  const inAll = async () => (await Array.fromAsync(client.readAll())).filter(({ event }) => event?.type === 'Tested');
  expect(await inAll()).toHaveLength(3);
  fake.database.scavenge();
  expect((await inAll()).map(({ event }) => event?.position)).toEqual([position]);
});

test('a stream with a maximum keeps its last events, and $all has all of them until a scavenge', async () => {
  const { fake, client } = await aStage();
  await client.setStreamMetadata('a-1', { maxCount: 2 });
  await client.appendToStream('a-1', someEvents(5), { expectedRevision: NO_STREAM });
  const revisions = async () => (await Array.fromAsync(client.readStream('a-1'))).map(({ event }) => event?.revision);
  expect(await revisions()).toEqual([3n, 4n]);
  const inAll = async () => (await Array.fromAsync(client.readAll())).filter(({ event }) => event?.type === 'Tested');
  expect(await inAll()).toHaveLength(5);
  fake.database.scavenge();
  expect(await inAll()).toHaveLength(2);
  expect(await revisions()).toEqual([3n, 4n]);
});

test('what was written is there after a kill and a restart', async () => {
  const { fake, client } = await aStage();
  await client.appendToStream('a-1', someEvents(2), { expectedRevision: NO_STREAM });
  await fake.kill();
  await expect(client.appendToStream('a-1', anEvent(), { expectedRevision: 1n })).rejects.toMatchObject({
    type: 'unavailable',
  });
  const again = await startFakeEventStore({ database: fake.database, port: fake.port });
  onTestFinished(() => again.kill());
  expect(await Array.fromAsync(client.readStream('a-1'))).toHaveLength(2);
});

test('an older backup has the records up to its moment, and what is written to it goes a way of its own', () => {
  const database = new FakeDatabase();
  const event = { ...anEvent(), data: Buffer.from('{}'), metadata: Buffer.from('{}') };
  database.append('a-1', -1n, [event]);
  const backup = database.backup();
  database.append('a-1', 0n, [{ ...event, id: randomUUID() }]);
  expect(backup.visible('a-1')).toHaveLength(1);
  expect(database.visible('a-1')).toHaveLength(2);
});
