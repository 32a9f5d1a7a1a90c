import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { anEvent } from '../../test/contract/events.ts';
import { tempFolder } from '../../test/contract/tempFolder.ts';
import { Faults } from '../lib/faults.ts';
import { createEventSink } from './eventSink.ts';
import { createSqliteEventLog } from './sqlite/sqliteEventLog.ts';
import { watchAppends } from './watchAppends.ts';

const SLOW_MS = 20;

/** Keeps this thread busy until another one has committed an event, and long after the outcome has been late. */
function stayBusyUntilCommitted(path: string): void {
  using database = new DatabaseSync(path, { readOnly: true });
  const count = database.prepare('SELECT count(*) AS events FROM events');
  const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  while (count.get()?.events === 0) sleep(1);
  sleep(10 * SLOW_MS);
}

test('an outcome that arrived while the thread was busy or stopped is not late', async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, 'log.sqlite');
  const lines: string[] = [];
  const faults = new Faults({ print: (line) => lines.push(line), now: Date.now });
  const log = await createSqliteEventLog({ path, node: 'test', timeoutMs: SLOW_MS });
  const watched = watchAppends(log, { faults, path, slowMs: SLOW_MS });
  const sink = createEventSink({
    log: watched,
    node: 'n1',
    boot: 'b1',
    category: 'requests',
    slowMs: SLOW_MS,
    timeoutMs: SLOW_MS,
  });
  const recorded = sink.record(anEvent());
  // The sink appends in its next turn.
  await nextTurn();
  stayBusyUntilCommitted(path);
  expect(sink.mayBegin()).toBe(true);
  expect(await recorded).toBe(1);
  expect({ lines, isFailing: watched.isFailing(), mayBegin: sink.mayBegin() }).toEqual({
    lines: [],
    isFailing: false,
    mayBegin: true,
  });
  await sink.close();
  await log.close();
});
