import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { anEvent, someEvents } from '../../../test/contract/events.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { completed } from '../../../test/support/management.ts';
import { position } from '../../domain/core/brands.ts';
import { LOSSES_STREAM, LossAccepted } from '../../domain/losses/events.ts';
import { NO_STREAM } from '../../eventLog/eventLog.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import { emptyFold } from '../fold/fold.ts';
import { foldFile } from './foldFile.ts';

// A log is written and folded several times, which waits for the disk of a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const ROUNDS = 60;
const PER_ROUND = 31;
const HEAD = ROUNDS * PER_ROUND;

let written: { readonly path: string } & AsyncDisposable;

/** Writes a log of several pages: in each round, one event of a stream and thirty of another. */
beforeAll(async () => {
  written = await tempFolder();
  const log = await createSqliteEventLog({ path: join(written.path, 'log.sqlite'), node: 'n1' });
  const appends = Array.from({ length: ROUNDS }, (_, round) => [
    log.append('firewall-a', round - 1, someEvents(1)),
    log.append('firewall-b', 30 * round - 1, someEvents(30)),
  ]);
  await Promise.all(appends.flat());
  await log.close();
});

afterAll(() => written[Symbol.asyncDispose]());

/** A copy of that log. */
async function aLog() {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const path = join(folder.path, 'log.sqlite');
  copyFileSync(join(written.path, 'log.sqlite'), path);
  const change = (sql: string) => {
    using database = new DatabaseSync(path);
    database.exec(sql);
  };
  return { path, change };
}

/** Folds the log as a start does, after the first events. @returns why the start is refused */
async function refusal(path: string, { after = 0, upTo = HEAD, minEventsForThread = HEAD + 1 } = {}) {
  const fold = emptyFold();
  fold.state.position = position(after);
  return foldFile(fold, path, position(upTo), minEventsForThread).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

const threads = [
  ['one thread', HEAD + 1],
  ['two threads', 1],
] as const;

test.each(threads)('folds an intact log with %s, from any position', async (_what, minEventsForThread) => {
  const { path } = await aLog();
  for (const after of [0, 1, 40, 511, 512, 513, HEAD - 1, HEAD]) {
    expect(await refusal(path, { after, minEventsForThread }), `after ${after}`).toBeUndefined();
  }
});

test.each([
  [
    'position in a page',
    'DELETE FROM events WHERE position = 100',
    'position 101: the event of firewall-b there follows position 99',
  ],
  [
    'last position of a page',
    'DELETE FROM events WHERE position = 512',
    'position 513: the event of firewall-b there follows position 511',
  ],
  [
    'first position',
    'DELETE FROM events WHERE position = 1',
    'position 2: the event of firewall-b there follows position 0',
  ],
  [
    'revision',
    `UPDATE events SET revision = revision + 100000 WHERE stream = 'firewall-b' AND position >= 1000`,
    'position 1000: the event of firewall-b there is revision 100966 of its stream, but follows revision 965',
  ],
  [
    'hash of the event before it',
    `UPDATE events SET metadata = json_set(metadata, '$.previousHash', '${'0'.repeat(64)}') WHERE position = 905`,
    'position 905: the event of firewall-b there does not have the hash of the event before it in its stream',
  ],
])('refuses a log with a missing or wrong %s', async (_what, sql, message) => {
  const { path, change } = await aLog();
  change(sql);
  for (const [, minEventsForThread] of threads) {
    expect(await refusal(path, { minEventsForThread })).toContain(`${path} is broken at ${message}`);
  }
});

/** Requests of two nodes: 1,200, of which every fiftieth is of the second node, with a special character here and there. */
async function logOfRequests() {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const path = join(folder.path, 'log.sqlite');
  const log = await createSqliteEventLog({ path, node: 'n1' });
  const next = [-1, -1] as [number, number];
  const appends = Array.from({ length: 1_200 }, (_, index) => {
    const node = index % 50 === 49 ? 1 : 0;
    const { type, data } = completed(index % 90 === 0 ? { errorMessage: 'a "quoted" word' } : {});
    return log.append(`requests-n${node}.b1_20260115`, next[node]++, [anEvent({ type, data } as never)]);
  });
  await Promise.all(appends);
  await log.close();
  const change = (sql: string) => {
    using database = new DatabaseSync(path);
    database.exec(sql);
  };
  return { path, change };
}

test('folds a log of the requests of two nodes, from any position', async () => {
  const { path } = await logOfRequests();
  for (const [, minEventsForThread] of threads) {
    for (const after of [0, 49, 50, 511, 1_199]) {
      expect(await refusal(path, { after, upTo: 1_200, minEventsForThread }), `after ${after}`).toBeUndefined();
    }
  }
});

test.each([
  ['position', 'DELETE FROM events WHERE position = 610', 'position 611: .* follows position 609'],
  [
    'revision',
    `UPDATE events SET revision = revision + 100000 WHERE stream = 'requests-n0.b1_20260115' AND position >= 610`,
    'position 610: .* is revision 100597 of its stream, but follows revision 596',
  ],
  [
    'hash of the event before it',
    `UPDATE events SET metadata = json_set(metadata, '$.previousHash', '${'0'.repeat(64)}') WHERE position = 610`,
    'position 610: .* does not have the hash of the event before it',
  ],
  [
    'hash of the event before it, of the other node',
    `UPDATE events SET metadata = json_set(metadata, '$.previousHash', '${'0'.repeat(64)}') WHERE position = 700`,
    'position 700: .* does not have the hash of the event before it',
  ],
])('refuses a log with a request with a wrong %s', async (_what, sql, message) => {
  const { path, change } = await logOfRequests();
  change(sql);
  for (const [, minEventsForThread] of threads) {
    expect(await refusal(path, { upTo: 1_200, minEventsForThread })).toMatch(new RegExp(message));
  }
});

test('compares the first event after a snapshot with the one before it', async () => {
  const { path, change } = await aLog();
  change('DELETE FROM events WHERE position = 600');
  expect(await refusal(path, { after: 600 })).toMatch(/position 601: .* revision 579 is missing/);
  expect(await refusal(path, { after: 601 })).toBeUndefined();
});

test('folds a log whose loss was accepted, and refuses one behind that', async () => {
  const { path, change } = await aLog();
  change('DELETE FROM events WHERE position IN (100, 700)');
  const log = await createSqliteEventLog({ path, node: 'n1' });
  const end = { position: position(HEAD), hash: null, time: null };
  const { data, type } = LossAccepted({ of: 'log', known: end, found: end, lost: null });
  await log.append(LOSSES_STREAM, NO_STREAM, [{ ...anEvent(), data, type }]);
  await log.append('firewall-b', 30 * ROUNDS - 1, someEvents(30));
  const upTo = await log.head();
  await log.close();
  expect(await refusal(path, { upTo })).toBeUndefined();
  change(`DELETE FROM events WHERE position = ${upTo - 5}`);
  expect(await refusal(path, { upTo })).toContain(`position ${upTo - 4}`);
});
