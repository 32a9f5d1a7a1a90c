import { randomUUID } from 'node:crypto';
import { BACKWARDS, jsonEvent, NO_STREAM, START } from '@eventstore/db-client';
import { expect, onTestFinished, test } from 'vitest';
import { connectedFake, testEvent, testEvents } from './connectedFake.ts';
import { FakeDatabase } from './fakeDatabase.ts';
import { startFakeEventStore } from './fakeEventStore.ts';
import { statuses } from './statuses.ts';

// The fake behaves as measured of real servers (docs/stores.md#failures-by-name), seen through the real client.

test('returns the original outcome for a repeat with an exact revision, also after a restart', async () => {
  const { fake, client } = await connectedFake();
  const events = testEvents(3);
  const first = await client.appendToStream('a-1', events, { expectedRevision: NO_STREAM });
  expect(first).toMatchObject({ success: true, nextExpectedRevision: 2n });
  await client.appendToStream('a-1', testEvents(2), { expectedRevision: 2n });
  fake.database.forgetRecentIds();
  expect(await client.appendToStream('a-1', events, { expectedRevision: NO_STREAM })).toEqual(first);
});

test('accepts partial repeats, refuses mixed ones, and writes known ids at the end again', async () => {
  const { client } = await connectedFake();
  const [one, two, three] = testEvents(3) as [ReturnType<typeof testEvent>, ReturnType<typeof testEvent>, never];
  const first = await client.appendToStream('a-1', [one, two, three], { expectedRevision: NO_STREAM });
  const beginning = await client.appendToStream('a-1', [one, two], { expectedRevision: NO_STREAM });
  expect(beginning.nextExpectedRevision).toBe(1n);
  expect(await client.appendToStream('a-1', [two, three], { expectedRevision: 0n })).toEqual(first);
  for (const events of [
    [one, testEvent()],
    [two, one],
    [one, two, three, testEvent()],
  ]) {
    await expect(client.appendToStream('a-1', events, { expectedRevision: NO_STREAM })).rejects.toMatchObject({
      type: 'wrong-expected-version',
      actualVersion: 2n,
    });
  }
  const again = await client.appendToStream('a-1', [one], { expectedRevision: 2n });
  expect(again.nextExpectedRevision).toBe(3n);
});

test('detects a repeat with "any" only while the id is cached', async () => {
  const { fake, client } = await connectedFake();
  const event = testEvent();
  const first = await client.appendToStream('a-1', event);
  expect(await client.appendToStream('a-1', event)).toEqual(first);
  fake.database.forgetRecentIds();
  expect((await client.appendToStream('a-1', event)).nextExpectedRevision).toBe(1n);
});

test('reports no_stream in a conflict on a missing stream', async () => {
  const { client } = await connectedFake();
  await expect(client.appendToStream('a-1', testEvent(), { expectedRevision: 4n })).rejects.toMatchObject({
    actualVersion: 'no_stream',
    message: '',
    code: undefined,
  });
});

test('drops other data under the same ids, and lets an append without events "succeed"', async () => {
  const { client } = await connectedFake();
  const event = testEvent();
  await client.appendToStream('a-1', event, { expectedRevision: NO_STREAM });
  await client.appendToStream('a-1', { ...event, data: { text: 'b' } }, { expectedRevision: NO_STREAM });
  const read = await Array.fromAsync(client.readStream('a-1'));
  expect(read.map((resolved) => resolved.event?.data)).toEqual([{ text: 'ä' }]);
  expect((await client.appendToStream('a-2', [], { expectedRevision: NO_STREAM })).nextExpectedRevision).toBe(0n);
  await expect(Array.fromAsync(client.readStream('a-2'))).rejects.toMatchObject({ type: 'stream-not-found' });
});

test('gives increasing positions in $all and returns that of the last event of an append', async () => {
  const { client } = await connectedFake();
  const { position } = await client.appendToStream('a-1', testEvents(5), { expectedRevision: NO_STREAM });
  const all = await Array.fromAsync(client.readAll());
  const positions = all.map(({ event }) => event?.position.commit ?? 0n);
  expect(positions).toEqual(positions.toSorted((a, b) => Number(a - b)));
  expect(new Set(positions).size).toBe(positions.length);
  expect(all.at(-1)?.event?.position).toEqual(position);
  expect(all.some(({ event }) => event?.type.startsWith('$'))).toBe(true);
  const [head] = await Array.fromAsync(client.readAll({ direction: BACKWARDS, fromPosition: 'end', maxCount: 1 }));
  expect(head?.event?.position).toEqual(position);
});

test('starts a read at a position, a subscription after it, and refuses one between records', async () => {
  const { client } = await connectedFake();
  await client.appendToStream('a-1', testEvents(3), { expectedRevision: NO_STREAM });
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

test('sends existing events, a caught-up message and new events to a subscription', async () => {
  const { client } = await connectedFake();
  await client.appendToStream('a-1', testEvents(3), { expectedRevision: NO_STREAM });
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
  await client.appendToStream('a-1', testEvents(2), { expectedRevision: 2n });
  await reading;
  expect(seen).toEqual([0n, 1n, 2n, 3n, 4n]);
  await subscription.unsubscribe();
});

test('keeps the call of a subscription open after a break until it is unsubscribed', async () => {
  const { fake, client } = await connectedFake();
  const subscription = client.subscribeToAll({ fromPosition: START });
  for await (const _ of subscription) break;
  await client.appendToStream('a-1', testEvents(3), { expectedRevision: NO_STREAM });
  expect(fake.openReads).toBe(1);
  await subscription.unsubscribe();
  await expect.poll(() => fake.openReads).toBe(0);
});

test.each([
  ['a shutdown', 'reset', { type: 'unknown', code: 13, message: expect.stringContaining('RST_STREAM with code 0') }],
  ['a cancelled call', statuses.cancelled, { type: 'cancelled' }],
  ['a lost server', statuses.unavailable, { type: 'unavailable' }],
  ['a consumer that is too slow', statuses.consumerTooSlow, { type: 'timeout' }],
] as const)('ends a subscription on %s with its own error', async (_, how, error) => {
  const { fake, client } = await connectedFake();
  const subscription = client.subscribeToAll({ fromPosition: START });
  subscription.once('caughtUp', () => fake.endReads(how));
  const drain = async () => {
    for await (const _ of subscription);
  };
  await expect(drain()).rejects.toMatchObject(error);
});

test('ends a subscription without an error when the server ends it with OK', async () => {
  const { fake, client } = await connectedFake();
  const subscription = client.subscribeToAll({ fromPosition: START });
  subscription.once('caughtUp', () => fake.endReads(statuses.ok));
  for await (const _ of subscription);
});

test.each([
  ['never answered', { isWritten: false, end: 'never' }, { type: 'deadline-exceeded' }],
  ['written during a shutdown', { isWritten: true, end: statuses.timeout }, { type: 'timeout', code: 10 }],
  ['sent to a server that is starting', { isWritten: false, end: statuses.notReady }, { type: 'unavailable' }],
  ['sent to a follower', { isWritten: false, end: statuses.notLeader('127.0.0.1', 1) }, { type: 'not-leader' }],
] as const)('fails an append that is %s', async (_, fault, error) => {
  const { fake, client } = await connectedFake();
  fake.nextAppends(fault);
  const deadline = fault.end === 'never' ? 300 : 10_000;
  const append = client.appendToStream('a-1', testEvent(), { expectedRevision: NO_STREAM, deadline });
  await expect(append).rejects.toMatchObject(error);
  expect(fake.database.visible('a-1')?.length).toBe(fault.isWritten ? 1 : undefined);
});

test('refuses ids that are no UUIDs, empty types and too much data, but not large metadata', async () => {
  const { client } = await connectedFake({ version: '24.10.3' });
  const options = { expectedRevision: NO_STREAM } as const;
  await expect(client.appendToStream('a-1', testEvent('one'), options)).rejects.toMatchObject({
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

test('counts metadata and limits the size of an event from 24.10.4 on', async () => {
  const { client } = await connectedFake({ version: '24.10.4', maxEventBytes: 2_000_000 });
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

test('returns ids in lower case', async () => {
  const { client } = await connectedFake();
  await client.appendToStream('a-1', testEvent('018F4B1E-0000-7000-8000-00000000000A'));
  const [read] = await Array.fromAsync(client.readStream('a-1'));
  expect(read?.event?.id).toBe('018f4b1e-0000-7000-8000-00000000000a');
});

test('keeps what was written after a kill and a restart', async () => {
  const { fake, client } = await connectedFake();
  await client.appendToStream('a-1', testEvents(2), { expectedRevision: NO_STREAM });
  await fake.kill();
  await expect(client.appendToStream('a-1', testEvent(), { expectedRevision: 1n })).rejects.toMatchObject({
    type: 'unavailable',
  });
  const again = await startFakeEventStore({ database: fake.database, port: fake.port });
  onTestFinished(() => again.kill());
  expect(await Array.fromAsync(client.readStream('a-1'))).toHaveLength(2);
});

test('makes a backup that is independent of later writes', () => {
  const database = new FakeDatabase();
  const event = { ...testEvent(), data: Buffer.from('{}'), metadata: Buffer.from('{}') };
  database.append('a-1', -1n, [event]);
  const backup = database.backup();
  database.append('a-1', 0n, [{ ...event, id: randomUUID() }]);
  expect(backup.visible('a-1')).toHaveLength(1);
  expect(database.visible('a-1')).toHaveLength(2);
});
