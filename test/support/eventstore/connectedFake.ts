import { randomUUID } from 'node:crypto';
import { jsonEvent } from '@eventstore/db-client';
import { onTestFinished } from 'vitest';
import { disposeClient, type EventStoreClient, openClient } from '../../../src/eventLog/eventstore/client/client.ts';
import { parseConnectionString } from '../../../src/eventLog/eventstore/client/connectionString.ts';
import { type FakeEventStore, type FakeEventStoreOptions, startFakeEventStore } from './fakeEventStore.ts';

/** An event for tests of the fake server. */
export const testEvent = (id: string = randomUUID()) => jsonEvent({ id, type: 'Tested', data: { text: 'ä' } });
export const testEvents = (count: number) => Array.from({ length: count }, () => testEvent());

/** Starts a fake server with a client of its own; both end with the test. */
export async function connectedFake(
  options?: FakeEventStoreOptions,
): Promise<{ fake: FakeEventStore; client: EventStoreClient }> {
  const fake = await startFakeEventStore(options);
  const client = openClient(parseConnectionString(fake.url));
  onTestFinished(async () => {
    await disposeClient(client);
    await fake.kill();
  });
  return { fake, client };
}
