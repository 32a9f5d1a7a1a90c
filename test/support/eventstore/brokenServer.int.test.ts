import { NO_STREAM, START } from '@eventstore/db-client';
import { expect, test, vi } from 'vitest';
import { connectedFake, testEvent, testEvents } from './connectedFake.ts';
import { FakeDatabase } from './fakeDatabase.ts';

// Faults of the whole server, as a real 24.2.0 had them, seen through the real client.

const atFirst = { expectedRevision: NO_STREAM } as const;
const SOON = { timeout: 5_000, interval: 5 };

test('times appends out while its disk is full, then ends, and has lost nothing after room and restart', async () => {
  const { fake, client } = await connectedFake();
  await client.appendToStream('a-1', testEvents(3), atFirst);
  fake.database.isDiskFull = true;
  for (const revision of [2n, 2n]) {
    const append = client.appendToStream('a-1', testEvent(), { expectedRevision: revision });
    await expect(append).rejects.toMatchObject({ type: 'timeout', code: 10 });
  }
  await vi.waitUntil(() => !fake.isRunning, SOON);
  const whileDown = client.appendToStream('a-1', testEvent(), { expectedRevision: 2n });
  await expect(whileDown).rejects.toMatchObject({ type: 'unavailable' });
  fake.database.isDiskFull = false;
  await fake.start();
  expect(await Array.fromAsync(client.readStream('a-1'))).toHaveLength(3);
  expect(await client.appendToStream('a-1', testEvent(), { expectedRevision: 2n })).toMatchObject({ success: true });
});

test('resets the subscription of a client that was frozen, and serves a new one', async () => {
  const { fake, client } = await connectedFake();
  await client.appendToStream('a-1', testEvents(2), atFirst);
  const subscription = client.subscribeToAll({ fromPosition: START });
  subscription.once('caughtUp', () => fake.resetConnections());
  const follow = async () => {
    for await (const _ of subscription);
  };
  await expect(follow()).rejects.toMatchObject({
    type: 'unknown',
    code: 13,
    message: expect.stringMatching(/^13 INTERNAL: Received RST_STREAM with code 2 .*Session closed/),
  });
  const again = client.subscribeToAll({ fromPosition: START });
  await new Promise((resolve) => again.once('caughtUp', resolve));
  await again.unsubscribe();
});

test('accepts an append to a new stream over the data of another installation, and has other events there', async () => {
  const { fake, client } = await connectedFake();
  const own = fake.database;
  await client.appendToStream('a-1', testEvents(3), atFirst);
  await fake.swapData(new FakeDatabase());
  await expect(Array.fromAsync(client.readStream('a-1'))).rejects.toMatchObject({ type: 'stream-not-found' });
  expect(await client.appendToStream('a-2', testEvent(), atFirst)).toMatchObject({ success: true });
  await fake.swapData(own);
  expect(await Array.fromAsync(client.readStream('a-1'))).toHaveLength(3);
  await expect(Array.fromAsync(client.readStream('a-2'))).rejects.toMatchObject({ type: 'stream-not-found' });
});
