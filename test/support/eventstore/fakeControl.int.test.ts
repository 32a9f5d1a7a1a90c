import { NO_STREAM } from '@eventstore/db-client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { disposeClient, openClient } from '../../../src/eventLog/eventstore/client/client.ts';
import { parseConnectionString } from '../../../src/eventLog/eventstore/client/connectionString.ts';
import { connectedFake, testEvent, testEvents } from './connectedFake.ts';
import { controlOf } from './fakeControl.ts';
import { spawnFakeEventStore } from './spawnFakeEventStore.ts';

const atFirst = { expectedRevision: NO_STREAM } as const;

async function inThisProcess() {
  const { fake, client } = await connectedFake();
  return { control: controlOf(fake), client };
}

async function inItsOwnProcess() {
  const fake = await spawnFakeEventStore();
  onTestFinished(() => fake[Symbol.asyncDispose]());
  const client = openClient(parseConnectionString(fake.url));
  onTestFinished(() => disposeClient(client));
  return { control: fake.control, client };
}

test.each([
  ['in this process', inThisProcess],
  ['in a process of its own', inItsOwnProcess],
])('controls a fake server %s', async (_, start) => {
  const { control, client } = await start();
  const events = testEvents(3);
  await client.appendToStream('a-1', events, atFirst);
  await client.appendToStream('b-1', testEvent(), atFirst);
  await control.backUp('yesterday');
  expect(await control.records('a-')).toEqual(
    events.map(({ id }, revision) => ({ stream: 'a-1', revision, id, type: 'Tested', data: '{"text":"ä"}' })),
  );
  await control.softDelete('a-1');
  await control.setMetadata('b-1', { $maxAge: 10 });
  await control.passTime(11_000);
  expect(await Array.fromAsync(client.readStream('b-1'))).toEqual([]);
  await expect(Array.fromAsync(client.readStream('a-1'))).rejects.toMatchObject({ type: 'stream-not-found' });
  await control.scavenge();
  expect((await control.records()).map(({ stream, revision }) => [stream, revision])).toEqual([
    ['a-1', 2],
    ['b-1', 0],
  ]);
  await control.tombstone('b-1');
  await expect(Array.fromAsync(client.readStream('b-1'))).rejects.toMatchObject({ type: 'stream-deleted' });

  await control.swapData('foreign');
  await client.appendToStream('a-1', testEvent(), atFirst);
  await control.swapData('yesterday');
  expect(await control.records()).toHaveLength(4);
  await control.swapData('main');
  expect(await control.records()).toHaveLength(2);

  await control.fillDisk();
  const append = () => client.appendToStream('c-1', testEvent(), atFirst);
  await expect(append()).rejects.toMatchObject({ type: 'timeout' });
  await vi.waitUntil(async () => !(await control.isRunning()), { timeout: 5_000, interval: 5 });
  await control.freeDisk();
  await control.start();
  expect(await append()).toMatchObject({ success: true });
  await control.kill();
  expect(await control.isRunning()).toBe(false);
});
