import { hash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { attemptsOf } from '../../../test/contract/readModels/randomRequests.ts';
import { completed, temporaryFolder } from '../../../test/support/management.ts';
import { type AccountId, type Position, position } from '../../domain/core/brands.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import type { RequestLogFilter } from '../requestLogQueries.ts';
import { LogReader } from './logReader.ts';
import { Projector } from './projector.ts';
import { openReadModelFile } from './readModelFile.ts';
import { compareReadModels } from './rebuild.ts';
import { SEGMENT_SIZE } from './requestIdFragments.ts';
import { createSqliteReadModels } from './sqliteReadModels.ts';

const HEAD = position(2 * SEGMENT_SIZE + 100);
/** Requests that tried another account first. */
const FAILED_OVER: readonly number[] = [SEGMENT_SIZE, HEAD];
const idAt = (at: number): string => `req_${hash('sha1', String(at)).slice(0, 32)}`;

/** A log of two complete segments and a part of one: each even position completes the request admitted before it. */
async function longLog() {
  const folder = temporaryFolder();
  const logPath = join(folder, 'log.sqlite');
  await (await createSqliteEventLog({ path: logPath, node: 'test' })).close();
  const log = new DatabaseSync(logPath);
  const insert = log.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?)');
  const metadata = JSON.stringify({ schemaVersion: 1, actor: { kind: 'anonymous' }, correlationId: 'test' });
  const { data } = completed();
  log.exec('BEGIN');
  for (let at = 1; at <= HEAD; at++) {
    const isEnd = at % 2 === 0;
    const requestId = idAt(isEnd ? at : at + 1);
    const attempts = FAILED_OVER.includes(at) ? attemptsOf(['other', 'account-1'] as AccountId[]) : [];
    const type = isEnd ? 'RequestCompleted' : 'RequestAdmitted';
    insert.run(
      at,
      'requests-test',
      at - 1,
      `event-${at}`,
      type,
      at,
      JSON.stringify({ ...data, attempts, requestId }),
      metadata,
    );
  }
  log.exec('COMMIT');
  log.close();
  return { folder, logPath };
}

/** Projects the log in batches of this size. */
function fold(folder: string, logPath: string, batchEvents: number): void {
  const database = openReadModelFile(join(folder, 'readmodels.sqlite'));
  const log = new LogReader(logPath);
  const projector = new Projector(database, log);
  while (projector.catchUp(batchEvents));
  expect(projector.position).toBe(HEAD);
  database.close();
  log.close();
}

test('comparing names changed, missing and invented ids of complete segments', async () => {
  const { folder, logPath } = await longLog();
  fold(folder, logPath, 10_000);
  const changed = (stretch: number, sql: string): void => {
    using database = new DatabaseSync(join(folder, 'readmodels.sqlite'));
    expect(database.prepare(sql).run(stretch).changes).toBe(1);
  };
  changed(0, 'DELETE FROM requestIds WHERE stretch = ? AND position = 7');
  changed(0, 'UPDATE requestIds SET kindId = 99 WHERE stretch = ? AND position = 8');
  changed(1, `UPDATE requestIds SET requestId = 'other' WHERE stretch = ? AND position = ${SEGMENT_SIZE + 2}`);
  changed(9, `INSERT INTO requestIds VALUES (?, 'invented', ${HEAD}, 1, 1)`);
  const row = (stretch: number, id: string, at: number) =>
    `requestIds stretch=${stretch} requestId=${id} position=${at}:`;
  expect(compareReadModels({ folder }).differences.toSorted()).toEqual(
    [
      `${row(0, idAt(8), 7)} is missing from the live read models`,
      `${row(0, idAt(8), 8)} kindId is 99 in the live read models, 1 rebuilt`,
      `${row(1, 'other', SEGMENT_SIZE + 2)} is only in the live read models`,
      `${row(1, idAt(SEGMENT_SIZE + 2), SEGMENT_SIZE + 2)} is missing from the live read models`,
      `${row(9, 'invented', HEAD)} is only in the live read models`,
    ].toSorted(),
  );
}, 30_000);

test('finds requests at any position, for any division into batches', async () => {
  const { folder, logPath } = await longLog();
  fold(folder, logPath, 1_111);
  expect(compareReadModels({ folder }).differences).toEqual([]);

  const { requestLog, history, close } = createSqliteReadModels({ folder, logPath });
  onTestFinished(close);
  const rows = async (search: string, filter: RequestLogFilter = {}) => {
    const page = await requestLog.page({ search, ...filter }, 10, 0, HEAD);
    expect(page.total).toBe(page.rows.length);
    return page.rows.map((row) => row.position);
  };
  const events = async (requestId: string) => {
    const { entries } = await history.page({ subjects: [`request-${requestId}`] }, null, 10, HEAD);
    return entries.map((entry) => entry.position);
  };
  for (const at of [
    2,
    SEGMENT_SIZE - 2,
    SEGMENT_SIZE,
    SEGMENT_SIZE + 2,
    2 * SEGMENT_SIZE,
    2 * SEGMENT_SIZE + 2,
    HEAD,
  ].map(position)) {
    const id = idAt(at);
    for (const search of [id, id.toUpperCase(), id.slice(0, 14), id.slice(15, 25)]) {
      expect([search, await rows(search)]).toEqual([search, [at]]);
      const isFound = FAILED_OVER.includes(at);
      expect(await rows(search, { attemptedAccountIds: ['other'] })).toEqual(isFound ? [at] : []);
    }
    expect(await events(id)).toEqual([at, (at - 1) as Position]);
  }
  expect(await rows(idAt(HEAD + 2))).toEqual([]);
  expect(await events(idAt(HEAD + 2))).toEqual([]);
}, 30_000);
