import { expect, onTestFinished, test } from 'vitest';
import { startFakeEventStore } from '../../../../test/support/eventstore/fakeEventStore.ts';
import { openClient } from '../client.ts';
import { parseConnectionString } from '../connectionString.ts';
import { followAll } from './followAll.ts';

const MANY = 3_000;

const anEvent = (ip: number) => ({
  id: crypto.randomUUID(),
  type: 'IpAllowed',
  contentType: 'application/json',
  data: Buffer.from(JSON.stringify({ ip: `10.0.0.${ip}` })),
  metadata: Buffer.from('{}'),
});

test('what comes thick and fast is handled together, in order and once', async () => {
  const server = await startFakeEventStore();
  onTestFinished(() => server.kill());
  server.database.append(
    'firewall-main',
    -1n,
    Array.from({ length: MANY }, (_, index) => anEvent(index)),
  );
  const stopping = new AbortController();
  const revisions: number[] = [];
  let batches = 0;
  const all = Promise.withResolvers<void>();
  const following = followAll({
    newClient: () => openClient(parseConnectionString(server.url)),
    marks: () => [],
    onResumed: () => {},
    handle(batch) {
      batches += 1;
      for (const { streamId, revision } of batch) if (streamId === 'firewall-main') revisions.push(Number(revision));
      if (revisions.length === MANY) all.resolve();
    },
    onConnected: () => {},
    onDropped: all.reject,
    signal: stopping.signal,
  });
  await all.promise;
  stopping.abort();
  await following;
  expect(revisions).toEqual(Array.from({ length: MANY }, (_, index) => index));
  expect(batches).toBeLessThan(MANY / 6);
});
