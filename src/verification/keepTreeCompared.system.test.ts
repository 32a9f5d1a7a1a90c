import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readRows, writeRows } from '../../test/histories/forged/forgedFiles.ts';
import { forgeries } from '../../test/histories/forged/forgeries.ts';
import { aFolder, honestFolder } from '../../test/histories/forged/honestLog.ts';
import { archiveFolder, changeArchivedEntry } from '../../test/support/archives/archiveFolder.ts';
import { createRandom } from '../../test/support/random.ts';
import { Faults } from '../lib/faults.ts';
import { keepTreeCompared } from './keepTreeCompared.ts';

const soon = { timeout: 20_000, interval: 5 };

function comparerOf(folder: string) {
  const reported: Error[] = [];
  const faults = new Faults({ print: () => undefined, now: Date.now });
  let passes = 0;
  const comparer = keepTreeCompared({
    logPath: join(folder, 'log.sqlite'),
    treePath: join(folder, 'tree.sqlite'),
    faults: {
      raise: (fault) => faults.raise(fault),
      clear(code, subject) {
        passes += 1;
        faults.clear(code, subject);
      },
    },
    report: (error) => reported.push(error),
    timing: { firstAfterMs: 0, intervalMs: 10 },
  });
  onTestFinished(() => comparer.stop());
  comparer.start();
  return { faults, reported, passes: () => passes };
}

test('finds an event that was changed and rehashed to the end of its stream, until it is right again', async () => {
  const folder = await honestFolder(1);
  const rows = readRows(folder);
  const { faults, passes, reported } = comparerOf(folder);
  await vi.waitUntil(() => passes() > 0, soon);
  const forgery = forgeries.find(({ name }) => name === 'edits an event and rehashes its stream to the end');
  const forged = forgery?.forge(readRows(folder), createRandom(1)) ?? [];
  const at = rows.findIndex(({ data }, index) => data !== forged[index]?.data) + 1;
  writeRows(folder, forged);
  await vi.waitUntil(() => faults.current.length > 0, soon);
  expect(faults.current).toMatchObject([
    { code: 'log_differs_from_tree', cause: expect.stringContaining(`at position ${at} (rehashed`) },
  ]);
  writeRows(folder, rows);
  await vi.waitUntil(() => faults.current.length === 0, soon);
  expect(reported).toEqual([]);
});

test('finds an archived leaf entry that was changed', async () => {
  const folder = await honestFolder(3);
  await archiveFolder(folder);
  changeArchivedEntry(folder);
  const { faults } = comparerOf(folder);
  await vi.waitUntil(() => faults.current.length > 0, soon);
  expect(faults.current).toMatchObject([
    { code: 'log_differs_from_tree', cause: expect.stringContaining('(edited, archive.sqlite)') },
  ]);
});

test('says that there is nothing to compare with, and goes on', async () => {
  const { reported } = comparerOf(await aFolder());
  await vi.waitUntil(() => reported.length > 1, soon);
  expect(reported[0]?.message).toMatch(/^Couldn't compare the log with its tree: .*svc tries again in a day\.$/);
});
