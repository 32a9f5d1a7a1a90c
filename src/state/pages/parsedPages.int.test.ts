import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { archivableLog } from '../../../test/support/archives/archivableLog.ts';
import { type Position, position } from '../../domain/core/brands.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import { type LogBreak, LogBroken } from '../../eventLog/continuity.ts';
import { emptyFold, type Fold } from '../fold/fold.ts';
import { canonicalText } from '../snapshots/canonicalText.ts';
import { dataOf } from '../snapshots/dataOf.support.ts';
import { foldFile } from './foldFile.ts';
import { continueShortFold, ParsedPages } from './parsedPages.ts';

type Outcome = readonly [broken: LogBreak | undefined, failure: string | undefined];

/** Folds a log both ways. @returns of each the state, what breaks the log, and why it cannot be read */
async function bothFolds(logPath: string, head: Position) {
  const parsed = (fold: Fold) => {
    using database = new DatabaseSync(logPath, { readOnly: true });
    return continueShortFold(fold, new ParsedPages(database, archivePathOf(logPath)), head);
  };
  const packed = (fold: Fold) =>
    foldFile(fold, logPath, head).catch((error) => {
      if (error instanceof LogBroken) return error.found;
      throw error;
    });
  return Promise.all(
    [parsed, packed].map(async (continued) => {
      const fold = emptyFold();
      const [broken, failure] = await Promise.resolve()
        .then(() => continued(fold))
        .then(
          (found): Outcome => [found ?? undefined, undefined],
          (error: Error): Outcome => [undefined, error.message],
        );
      return { state: canonicalText(dataOf(fold)), broken, failure };
    }),
  );
}

/** A log with a request at a known position, which a statement changes. */
async function changedLog(sql?: (at: number) => string) {
  const { logPath, log, appendRequest, host } = await archivableLog(200);
  await appendRequest(host.now());
  const head = await log.head();
  if (sql) {
    using database = new DatabaseSync(logPath, { timeout: 5_000 });
    const of = "FROM events WHERE type = 'RequestCompleted' AND data LIKE '%\"usage\":{%' ORDER BY position LIMIT 1";
    const at = database.prepare(`SELECT position ${of}`).get()?.position as number;
    database.exec(sql(at));
  }
  return bothFolds(logPath, head);
}

test('parsed events fold to the same state as packed pages', async () => {
  const [parsed, packed] = await changedLog();
  expect(parsed).toEqual(packed);
  expect([parsed?.broken, parsed?.failure]).toEqual([undefined, undefined]);
});

const set = (path: string, value: string) => (at: number) =>
  `UPDATE events SET data = json_set(data, '${path}', json('${value}')) WHERE position = ${at}`;

test.each([
  ['a cost that is a text', set('$.costMicroDollars', '"1"'), 'wrong kind in "costMicroDollars"'],
  ['no list of attempts', set('$.attempts', 'null'), 'wrong kind in "attempts"'],
  ['usage without its tokens', set('$.usage', '{}'), 'lacks the field "usage.'],
  ['an unknown field', set('$.later', '1'), 'has a field "later"'],
  ['data that is not JSON', (at: number) => `UPDATE events SET data = '{' WHERE position = ${at}`, 'is not JSON'],
])('refuses a request with %s', async (_, sql, message) => {
  const [parsed, packed] = await changedLog(sql);
  expect(parsed?.failure).toContain(message);
  expect(parsed?.failure).toBe(packed?.failure);
});

test('names the first event that does not continue the log', async () => {
  const [parsed, packed] = await changedLog((at) => `DELETE FROM events WHERE position = ${at}`);
  expect(parsed).toEqual(packed);
  expect(parsed?.broken?.position).toBeGreaterThan(position(1));
});
