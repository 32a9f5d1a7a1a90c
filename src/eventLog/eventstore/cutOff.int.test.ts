import { expect, onTestFinished, test, vi } from 'vitest';
import { committed } from '../../../test/contract/eventLog/outcomes.ts';
import { anEvent, aStream } from '../../../test/contract/events.ts';
import { startNetworkLink } from '../../../test/support/eventstore/networkLink.ts';
import { aStage } from '../../../test/support/eventstore/stage.ts';
import { statuses } from '../../../test/support/eventstore/statuses.ts';
import { NO_STREAM } from '../eventLog.ts';

// Since when a node is cut off from EventStoreDB, as operators see it.

const SOON = { timeout: 10_000, interval: 5 };

test('is cut off soon after the server froze, although the connection stays open', async () => {
  const { server, open, faults } = await aStage();
  const link = await startNetworkLink(server);
  onTestFinished(() => link[Symbol.asyncDispose]());
  const timing = { firstPauseMs: 5, maxPauseMs: 50, probeMs: 50, probeTimeoutMs: 100 };
  const store = await open({ url: `esdb://127.0.0.1:${link.port}?tls=false`, timing });
  await committed(store.log.append(aStream(), NO_STREAM, [anEvent()]));
  const frozenAt = performance.now();
  link.freeze();
  await vi.waitUntil(() => store.cutOffSince !== undefined, SOON);
  // The library itself notices after 16 to 19 s.
  expect(performance.now() - frozenAt).toBeLessThan(1_000);
  expect(faults.current).toMatchObject([{ code: 'store_unreachable', cause: expect.stringContaining('no response') }]);
  link.thaw();
  await vi.waitUntil(() => store.cutOffSince === undefined, SOON);
});

test('stays connected while the server only has nothing to send', async () => {
  const { server, open, lines } = await aStage();
  const store = await open({ timing: { firstPauseMs: 5, maxPauseMs: 50, probeMs: 10, probeTimeoutMs: 5_000 } });
  const reads = server.calls.get('Read') ?? 0;
  await vi.waitUntil(() => (server.calls.get('Read') ?? 0) > reads + 10, SOON);
  expect(store.cutOffSince).toBeUndefined();
  expect(lines).toEqual([]);
});

test.each([
  ['without a majority of its cluster or without room on its disk', statuses.timeout, /majority of its cluster/],
  ['without a leader', statuses.notReady, /no leader/],
  ['that has taken away the right to write', statuses.accessDenied, /no right/],
])('is cut off as soon as a write fails on a server %s, until writes work again', async (_, end, reason) => {
  const { server, open, faults, lines } = await aStage();
  const store = await open({ writeProbeMs: 20, noWritesAfterMs: 100 });
  const [stream, events] = [aStream(), [anEvent()]];
  const before = server.database.log.length;
  server.allAppends({ isWritten: false, end });
  expect(await store.log.append(stream, NO_STREAM, events)).toMatchObject({ kind: 'unknown' });
  expect(store.cutOffSince).toBeTypeOf('number');
  await vi.waitUntil(() => faults.current.some(({ code }) => code === 'store_takes_no_writes'), SOON);
  expect(faults.current.find(({ code }) => code === 'store_takes_no_writes')?.cause).toMatch(reason);
  expect(store.cutOffSince).toBeTypeOf('number');
  server.allAppends();
  await vi.waitUntil(() => store.cutOffSince === undefined && faults.current.length === 0, SOON);
  expect(lines.at(-1)).toMatch(/^EventStoreDB at .+ takes writes again after \d+ s\.$/);
  // Found out without writing anything.
  expect(server.database.log).toHaveLength(before);
});
