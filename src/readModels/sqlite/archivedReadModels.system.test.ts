import { join } from 'node:path';
import { expect, test } from 'vitest';
import { honestFolder } from '../../../test/histories/forged/honestLog.ts';
import { archiveFolder, withArchiveHost } from '../../../test/support/archives/archiveFolder.ts';
import { restoreDay } from '../../archive/restoreDay.ts';
import { instant, type Position } from '../../domain/core/brands.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { prepareLastPosition } from '../../eventLog/sqlite/eventRows.ts';
import { compareReadModels, rebuildReadModels } from './rebuild.ts';
import { createSqliteReadModels } from './sqliteReadModels.ts';

const HOUR_MS = 3_600_000;
const SINCE = instant(Date.UTC(2026, 0, 1));

const headOf = (folder: string): Position => {
  using database = openForReading(join(folder, 'log.sqlite'));
  return prepareLastPosition(database)();
};

/** What the dashboard shows of a folder. */
async function shownIn(folder: string) {
  const models = createSqliteReadModels({ folder, logPath: join(folder, 'log.sqlite') });
  try {
    const head = headOf(folder);
    const { rows, total, archived } = await models.requestLog.page({}, 50, 0, head);
    return {
      counts: {
        totals: await models.requestTotals.since(SINCE, head),
        steps: await models.requestTotals.steps(SINCE, HOUR_MS, head),
        options: await models.requestLog.options({}, head),
      },
      rows: rows.length,
      total,
      archived,
      history: await models.history.page({}, null, 200, head),
    };
  } finally {
    await models.close();
  }
}

test('counts archived requests in totals, charts and filters, and names their files where rows were', async () => {
  const folder = await honestFolder(5);
  const before = await shownIn(folder);
  expect(before).toMatchObject({ total: 110, rows: 50 });
  expect(before.archived).toBeUndefined();
  const { archived } = await archiveFolder(folder);
  const file = archived[0]?.file.name;
  // The read models notice it by themselves.
  const after = await shownIn(folder);
  const named = [{ day: '2026-01-01', file, events: 110 }];
  expect(after).toMatchObject({ rows: 0, total: 0, archived: named });
  expect(after.counts).toEqual(before.counts);
  expect(after.history.archived).toEqual(named);
  const kept = before.history.entries.filter(({ type }) => !type.startsWith('Request'));
  expect(after.history.entries.slice(-kept.length)).toEqual(kept);
});

test('rebuilds an archived log to the same read models, and those of a restored one to the whole', async () => {
  const folder = await honestFolder(6);
  const before = await shownIn(folder);
  await archiveFolder(folder);
  rebuildReadModels({ folder });
  expect(compareReadModels({ folder }).differences).toEqual([]);
  await shownIn(folder);
  expect(compareReadModels({ folder })).toMatchObject({ differences: [], position: headOf(folder) });
  await withArchiveHost(folder, (host) => restoreDay({ host, folder: join(folder, 'archives'), what: '2026-01-01' }));
  const restored = await shownIn(folder);
  expect(restored.counts).toEqual(before.counts);
  expect(restored.total).toBe(before.total);
  expect(restored.archived).toBeUndefined();
  expect(compareReadModels({ folder }).differences).toEqual([]);
});
