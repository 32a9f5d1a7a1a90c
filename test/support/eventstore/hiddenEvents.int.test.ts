import { jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { expect, test } from 'vitest';
import type { EventStoreClient } from '../../../src/eventLog/eventstore/client/client.ts';
import { connectedFake, testEvent, testEvents } from './connectedFake.ts';

// What a real 24.2.0 does with events that were deleted or truncated, seen through the real client.

const atFirst = { expectedRevision: NO_STREAM } as const;
const read = (client: EventStoreClient, stream: string) => Array.fromAsync(client.readStream(stream));
const revisions = async (client: EventStoreClient, stream: string) =>
  (await read(client, stream)).map(({ event }) => event?.revision);
const inAll = async (client: EventStoreClient) =>
  (await Array.fromAsync(client.readAll())).filter(({ event }) => event?.type === 'Tested');

test.each([
  ['a soft delete', (client: EventStoreClient) => client.deleteStream('a-1')],
  ['$maxCount', (client: EventStoreClient) => client.setStreamMetadata('a-1', { maxCount: 2 })],
  ['$truncateBefore', (client: EventStoreClient) => client.setStreamMetadata('a-1', { truncateBefore: 4 })],
])('answers the repeat of an append truncated by %s with success and no position', async (_, truncate) => {
  const { client } = await connectedFake();
  const events = testEvents(3);
  const first = await client.appendToStream('a-1', events, atFirst);
  const last = await client.appendToStream('a-1', testEvents(2), { expectedRevision: 2n });
  expect([first.position, last.position]).toEqual([expect.anything(), expect.anything()]);
  await truncate(client);
  const repeat = await client.appendToStream('a-1', events, atFirst);
  expect(repeat).toEqual({ success: true, nextExpectedRevision: 2n, position: undefined });
  const next = await client.appendToStream('a-1', testEvent(), { expectedRevision: 4n });
  expect(next).toMatchObject({ success: true, nextExpectedRevision: 5n, position: expect.anything() });
});

test('answers the repeat of an append expired by $maxAge with success and no position', async () => {
  const { fake, client } = await connectedFake();
  const events = testEvents(2);
  await client.setStreamMetadata('a-1', { maxAge: 60 });
  const first = await client.appendToStream('a-1', events, atFirst);
  expect(await client.appendToStream('a-1', events, atFirst)).toEqual(first);
  fake.database.passTime(61_000);
  expect(await client.appendToStream('a-1', events, atFirst)).toMatchObject({ success: true, position: undefined });
  expect(await read(client, 'a-1')).toEqual([]);
  expect(await inAll(client)).toHaveLength(2);
});

test('answers the repeat of scavenged events with a conflict once the ids are no longer cached', async () => {
  const { fake, client } = await connectedFake();
  const events = testEvents(3);
  await client.appendToStream('a-1', events, atFirst);
  await client.appendToStream('a-1', testEvents(2), { expectedRevision: 2n });
  await client.setStreamMetadata('a-1', { truncateBefore: 4 });
  fake.database.scavenge();
  expect(await client.appendToStream('a-1', events, atFirst)).toMatchObject({ success: true, position: undefined });
  fake.database.forgetRecentIds();
  await expect(client.appendToStream('a-1', events, atFirst)).rejects.toMatchObject({
    type: 'wrong-expected-version',
    actualVersion: 4n,
  });
});

test('hides a soft-deleted stream from readers and continues its revisions with the next append', async () => {
  const { client } = await connectedFake();
  await client.appendToStream('a-1', testEvents(3), atFirst);
  await client.deleteStream('a-1', { expectedRevision: 2n });
  await expect(read(client, 'a-1')).rejects.toMatchObject({ type: 'stream-not-found' });
  expect(await inAll(client)).toHaveLength(3);
  await expect(client.appendToStream('a-1', testEvent(), { expectedRevision: 1n })).rejects.toMatchObject({
    type: 'wrong-expected-version',
    actualVersion: 2n,
  });
  const next = await client.appendToStream('a-1', testEvent(), { expectedRevision: 2n });
  expect(next.nextExpectedRevision).toBe(3n);
  expect(await revisions(client, 'a-1')).toEqual([3n]);
});

test('opens a soft-deleted stream again for new events that expect no stream', async () => {
  const { client } = await connectedFake();
  await client.appendToStream('a-1', testEvents(2), atFirst);
  await client.deleteStream('a-1');
  expect((await client.appendToStream('a-1', testEvent(), atFirst)).nextExpectedRevision).toBe(2n);
  expect(await revisions(client, 'a-1')).toEqual([2n]);
});

test('refuses a tombstoned stream permanently with gRPC code 9, and keeps other positions', async () => {
  const { fake, client } = await connectedFake();
  await client.appendToStream('a-1', testEvents(2), atFirst);
  const { position } = await client.appendToStream('a-2', testEvents(1), atFirst);
  await client.tombstoneStream('a-1', { expectedRevision: 1n });
  const deleted = { type: 'stream-deleted', streamName: 'a-1', code: 9 };
  await expect(read(client, 'a-1')).rejects.toMatchObject(deleted);
  await expect(client.appendToStream('a-1', testEvent(), atFirst)).rejects.toMatchObject(deleted);
  await expect(client.appendToStream('a-1', testEvent(), { expectedRevision: 1n })).rejects.toMatchObject(deleted);
  await expect(client.tombstoneStream('a-1')).rejects.toMatchObject(deleted);
  await expect(client.deleteStream('a-1')).rejects.toMatchObject(deleted);
  expect(await inAll(client)).toHaveLength(3);
  fake.database.scavenge();
  expect((await inAll(client)).map(({ event }) => event?.position)).toEqual([position]);
  await expect(read(client, 'a-1')).rejects.toMatchObject(deleted);
});

test('hides events beyond $maxCount in the stream at once, and in $all after a scavenge', async () => {
  const { fake, client } = await connectedFake();
  await client.setStreamMetadata('a-1', { maxCount: 2 });
  await client.appendToStream('a-1', testEvents(5), atFirst);
  expect(await revisions(client, 'a-1')).toEqual([3n, 4n]);
  expect(await inAll(client)).toHaveLength(5);
  fake.database.scavenge();
  expect(await inAll(client)).toHaveLength(2);
  expect(await revisions(client, 'a-1')).toEqual([3n, 4n]);
});

test('keeps one event of a stream in a scavenge that hides all of them', async () => {
  const { fake, client } = await connectedFake();
  await client.appendToStream('a-1', testEvents(3), atFirst);
  await client.deleteStream('a-1');
  fake.database.scavenge();
  expect((await inAll(client)).map(({ event }) => event?.revision)).toEqual([2n]);
  expect((await client.appendToStream('a-1', testEvent(), { expectedRevision: 2n })).nextExpectedRevision).toBe(3n);
});

test('accepts exactly 1,048,576 bytes of data in an append, of one or several events', async () => {
  const { client } = await connectedFake({ version: '24.2.0' });
  const ofSize = (bytes: number) => jsonEvent({ type: 'Tested', data: 'x'.repeat(bytes - 2), metadata: { a: 'y' } });
  const limit = 1_048_576;
  const refused = { type: 'maximum-append-size-exceeded', maxAppendSize: limit, code: 3 };
  await client.appendToStream('a-1', ofSize(limit), atFirst);
  await client.appendToStream('a-2', [ofSize(limit - 10), ofSize(10)], atFirst);
  for (const events of [[ofSize(limit + 1)], [ofSize(limit - 10), ofSize(11)]]) {
    for (const _ of ['first attempt', 'repeat']) {
      await expect(client.appendToStream('a-3', events, atFirst)).rejects.toMatchObject(refused);
    }
  }
  await expect(client.appendToStream('a-3', ofSize(20_000_000), atFirst)).rejects.toMatchObject({
    type: 'unknown',
    code: 8,
  });
  await expect(read(client, 'a-3')).rejects.toMatchObject({ type: 'stream-not-found' });
});
