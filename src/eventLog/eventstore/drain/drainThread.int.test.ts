import { expect, onTestFinished, test, vi } from 'vitest';
import { committed } from '../../../../test/contract/eventLog/outcomes.ts';
import { aStream, someEvents } from '../../../../test/contract/events.ts';
import { collectFaults } from '../../../../test/support/collectFaults.ts';
import { aStage } from '../../../../test/support/eventstore/stage.ts';
import { statuses } from '../../../../test/support/eventstore/statuses.ts';
import { NO_STREAM } from '../../eventLog.ts';
import { isBreak, verifyStream } from '../../hashChain.ts';
import { openOutbox } from '../../outbox/outbox.ts';
import { parseConnectionString } from '../client/connectionString.ts';
import { startDrainThread } from './drainThread.ts';

async function anOutbox() {
  const stage = await aStage();
  const store = await stage.open();
  const path = `${stage.mirrorPath}.outbox`;
  const reported: string[] = [];
  const settings = parseConnectionString(stage.server.url);
  const open = async () => {
    const outbox = await openOutbox({
      path,
      node: 'n1',
      store: store.replicationTarget,
      drain: (start) =>
        startDrainThread({
          path,
          mirrorPath: stage.mirrorPath,
          settings,
          store: store.replicationTarget,
          ...start,
        }),
      maxEvents: 10_000,
      faults: collectFaults(reported),
      report: (error) => reported.push(String(error)),
    });
    onTestFinished(() => outbox.close(0));
    outbox.start();
    return outbox;
  };
  return { ...stage, log: store.log, open, reported };
}

const soon = { timeout: 15_000, interval: 10 };

test('drains the outbox into EventStoreDB once and in order although appends fail', async () => {
  const { server, database, log, open, reported } = await anOutbox();
  const outbox = await open();
  server.nextAppends({ isWritten: true, end: statuses.unavailable }, { isWritten: false, end: statuses.timeout });
  const stream = aStream();
  for (let count = 0; count < 500; count += 100) {
    await committed(outbox.append(stream, count + NO_STREAM, someEvents(100)));
  }
  await vi.waitUntil(() => outbox.pending === 0, soon);
  expect(database.visible(stream)).toHaveLength(500);
  await vi.waitUntil(async () => (await log.head()) === 500, soon);
  expect(isBreak(verifyStream(await Array.fromAsync(log.readStream(stream))))).toBe(false);
  expect(reported).toEqual([
    expect.stringMatching(/^\d+ events wait in the outbox for EventStoreDB: /),
    'EventStoreDB accepts events from the outbox again.',
  ]);
  expect(outbox.blockedReason).toBeUndefined();
});

test('drains remaining events on close, and continues after the next start', async () => {
  const { database, open } = await anOutbox();
  const first = await open();
  const [one, other] = [aStream(), aStream()];
  await committed(first.append(one, NO_STREAM, someEvents(30)));
  await first.close();
  expect(database.visible(one)).toHaveLength(30);
  const second = await open();
  await committed(second.append(other, NO_STREAM, someEvents(30)));
  await vi.waitUntil(() => second.pending === 0, soon);
  expect(database.visible(other)).toHaveLength(30);
});
