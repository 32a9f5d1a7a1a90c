import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { anEvent, someEvents } from '../../../test/contract/events.ts';
import {
  type ReplicationTargetOverLog,
  replicationTargetOverLog,
} from '../../../test/contract/replicationTargetOverLog.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { collectFaults } from '../../../test/support/collectFaults.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { NodeStarted, NodeStopped } from '../../domain/audit/events.ts';
import { position } from '../../domain/core/brands.ts';
import type { EventToAppend } from '../eventLog.ts';
import { createEventSink } from '../eventSink.ts';
import { createSqliteEventLog } from '../sqlite/sqliteEventLog.ts';
import { openOutbox } from './outbox.ts';

const TIMING = { probeAfterMs: 10, maxPauseMs: 20, confirmMs: 60_000 };

/** An outbox with the events of two starts of node n1; the first one has stopped. */
async function anOutbox() {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const log = await createSqliteEventLog({ path: join(folder.path, 'store.sqlite'), node: 'n1' });
  onTestFinished(() => log.close());
  const store = replicationTargetOverLog(log);
  const path = join(folder.path, 'outbox.sqlite');
  const report = vi.fn();
  const options = { path, node: 'n1', store, maxEvents: 10_000, faults: collectFaults(), report, timing: TIMING };
  const outbox = await openOutbox(options);
  onTestFinished(() => outbox.close(0));

  const record = (boot: string, category: string, events: readonly EventToAppend[]) => {
    const sink = createEventSink({ log: outbox, node: 'n1', boot, category });
    return Promise.all(events.map((event) => sink.record(event)));
  };
  const event = ({ type, data }: { type: EventToAppend['type']; data: EventToAppend['data'] }) =>
    anEvent({ type, data });
  const started = (boot: string) => event(NodeStarted({ node: 'n1', boot, version: '0.1.0', previous: null }));
  const stopped = event(NodeStopped({ node: 'n1', boot: 'b1', reason: 'signal', detail: null }));
  await record('b1', 'nodes', [started('b1')]);
  // More than one append.
  await record('b1', 'requests', someEvents(450));
  await record('b1', 'sessions', someEvents(3));
  await record('b1', 'nodes', [stopped]);
  await record('b2', 'nodes', [started('b2')]);
  await record('b2', 'requests', someEvents(3));
  outbox.start();
  const inStore = async () => Array.fromAsync(log.readAll(position(0)));
  const untilDrained = () => vi.waitUntil(() => outbox.pending === 0, waitOptions);
  return { store, outbox, inStore, untilDrained, report };
}

const NOT_NOW = { kind: 'unknown', error: new Error('the stream times out') } as const;
const DIFFERS = { kind: 'conflict', actualRevision: 0 } as const;

const refuseStreams =
  (begin: string, outcome: typeof NOT_NOW | typeof DIFFERS): ReplicationTargetOverLog['refuse'] =>
  ([first]) =>
    first?.stream.startsWith(begin) ? outcome : undefined;

test.each([
  ['times out', NOT_NOW],
  ['has other events', DIFFERS],
])('the stop of a node waits for a stream of the same start that %s', async (_, outcome) => {
  const { store, outbox, inStore, untilDrained, report } = await anOutbox();
  store.refuse = refuseStreams('requests-n1.b1_', outcome);
  // All but the held stream and the stop.
  await vi.waitUntil(() => outbox.pending === 451, waitOptions);
  expect((await inStore()).map(({ type }) => type)).not.toContain('NodeStopped');
  expect((await inStore()).some(({ stream }) => stream.startsWith('requests-n1.b2_'))).toBe(true);
  store.refuse = () => undefined;
  await untilDrained();
  const events = (await inStore()).filter(({ stream }) => stream.includes('-n1.b1_'));
  expect([events.length, events.at(-1)?.type]).toEqual([455, 'NodeStopped']);
  expect(report).not.toHaveBeenCalled();
});

test('the stop of a node does not wait for a stream of another start', async () => {
  const { store, outbox, inStore } = await anOutbox();
  store.refuse = refuseStreams('requests-n1.b2_', NOT_NOW);
  await vi.waitUntil(() => outbox.pending === 3, waitOptions);
  expect((await inStore()).map(({ type }) => type)).toContain('NodeStopped');
});
