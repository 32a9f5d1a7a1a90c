import { expect, onTestFinished, test, vi } from 'vitest';
import { startFakeEventStore } from '../../../../test/support/eventstore/fakeEventStore.ts';
import { statuses } from '../../../../test/support/eventstore/statuses.ts';
import { openClient } from '../client/client.ts';
import { parseConnectionString } from '../client/connectionString.ts';
import { followAll } from './followAll.ts';
import type { ResumeMark } from './resumePoint.ts';

const MANY = 3_000;

const anEvent = (ip: number) => ({
  id: crypto.randomUUID(),
  type: 'IpAllowed',
  contentType: 'application/json',
  data: Buffer.from(JSON.stringify({ ip: `10.0.0.${ip}` })),
  metadata: Buffer.from('{}'),
});

test('reads everything from a server that soon ends each subscription', async () => {
  const server = await startFakeEventStore();
  onTestFinished(() => server.kill());
  const marks: ResumeMark[] = [];
  const revisions: number[] = [];
  const stopping = new AbortController();
  const following = followAll({
    newClient: () => openClient(parseConnectionString(server.url)),
    known: () => ({ marks: marks.slice(-1), installation: undefined }),
    onInstallation: () => {},
    onResumed: () => {},
    handle(batch) {
      for (const { streamId, revision, position: native, id } of batch) {
        marks.push({ native, id });
        if (streamId === 'firewall-main') revisions.push(Number(revision));
      }
    },
    onConnected: () => {},
    onNotWritten: () => undefined,
    onDropped: () => {},
    signal: stopping.signal,
    timing: { firstPauseMs: 1, maxPauseMs: 2 },
  });
  for (let count = 1; count <= 20; count += 1) {
    server.database.append('firewall-main', BigInt(count - 2), [anEvent(count)]);
    await vi.waitUntil(() => server.openReads > 0, { timeout: 10_000, interval: 1 });
    server.endReads(statuses.unavailable);
  }
  await vi.waitUntil(() => revisions.length === 20, { timeout: 10_000, interval: 5 });
  stopping.abort();
  await following;
  expect(revisions).toEqual(Array.from({ length: 20 }, (_, index) => index));
});

test('handles bursts of events in batches, in order and once', async () => {
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
    known: () => ({ marks: [], installation: undefined }),
    onInstallation: () => {},
    onResumed: () => {},
    handle(batch) {
      batches += 1;
      for (const { streamId, revision } of batch) if (streamId === 'firewall-main') revisions.push(Number(revision));
      if (revisions.length === MANY) all.resolve();
    },
    onConnected: () => {},
    onNotWritten: () => undefined,
    onDropped: all.reject,
    signal: stopping.signal,
  });
  await all.promise;
  stopping.abort();
  await following;
  expect(revisions).toEqual(Array.from({ length: MANY }, (_, index) => index));
  expect(batches).toBeLessThan(MANY / 6);
});
