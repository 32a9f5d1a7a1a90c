import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { anEvent } from '../../test/contract/events.ts';
import { tempFolder } from '../../test/contract/tempFolder.ts';
import { later, NOW, uuid } from '../../test/support/specification.ts';
import { waitOptions } from '../../test/support/waitOptions.ts';
import { SessionBegun, SessionEnded } from '../domain/session/events.ts';
import { type EventToAppend, NO_STREAM, type RecordedEvent } from '../eventLog/eventLog.ts';
import { createSqliteEventLog } from '../eventLog/sqlite/sqliteEventLog.ts';
import { startHotRunner } from './hotRunner.ts';

const STREAM = 'sessions-n1.b1_20260115';
const begun = (id: number) =>
  SessionBegun({ sessionId: uuid(id), passwordId: uuid(50), totpId: null, replaces: null, expiresAt: later(60_000) });
const ended = (id: number) => SessionEnded({ sessionId: uuid(id) });

/** An event as it is appended, and as the outbox reports it. */
function written(event: ReturnType<typeof begun> | ReturnType<typeof ended>, revision: number) {
  const toAppend = anEvent({ ...event, time: NOW } as Partial<EventToAppend>);
  const durable = { ...event, position: 900 + revision, time: NOW, stream: STREAM, revision } as RecordedEvent;
  return { toAppend, durable };
}

async function createRunner() {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const log = await createSqliteEventLog({ path: join(folder.path, 'log.sqlite'), node: 'n1' });
  onTestFinished(() => log.close());
  const hot = await startHotRunner(log, (error) => expect.unreachable(error.message));
  return { log, hot };
}

test('skips an event that was applied before the log delivered it, and counts its position', async () => {
  const { log, hot } = await createRunner();
  const [first, second, third] = [written(begun(1), 0), written(ended(1), 1), written(begun(2), 2)];
  hot.applyBeforeLog(first.durable);
  expect([...hot.state.sessions.keys()]).toEqual([uuid(1)]);
  hot.applyBeforeLog(second.durable);
  expect(hot.state.position).toBe(0);
  const seen: (string | undefined)[] = [];
  hot.onFolded(() => seen.push([...hot.state.sessions.keys()].join()));
  await log.append(STREAM, NO_STREAM, [first.toAppend]);
  await log.append(STREAM, 0, [second.toAppend]);
  await log.append(STREAM, 1, [third.toAppend]);
  await vi.waitUntil(() => hot.state.position === 3, waitOptions);
  // The fold did not restore the session that had ended.
  expect(seen).toEqual(['', '', uuid(2)]);
});

test('folds events of another node while own events are applied before the log', async () => {
  const { log, hot } = await createRunner();
  hot.applyBeforeLog(written(begun(1), 0).durable);
  await log.append('sessions-n2.b1_20260115', NO_STREAM, [written(begun(7), 0).toAppend]);
  await vi.waitUntil(() => hot.state.position === 1, waitOptions);
  expect([...hot.state.sessions.keys()]).toEqual([uuid(1), uuid(7)]);
});

test('calls listeners when an event is applied and when the log delivers it', async () => {
  const { log, hot } = await createRunner();
  const positions: number[] = [];
  hot.onFolded(({ position }) => positions.push(position));
  const { toAppend, durable } = written(begun(1), 0);
  hot.applyBeforeLog(durable);
  await log.append(STREAM, NO_STREAM, [toAppend]);
  await vi.waitUntil(() => positions.length === 2, waitOptions);
  expect(positions).toEqual([0, 1]);
});
