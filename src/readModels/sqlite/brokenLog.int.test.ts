import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { someEvents } from '../../../test/contract/events.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import type { LogBreak } from '../../eventLog/continuity.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import { createSqliteReadModels } from './sqliteReadModels.ts';

test('names an event that does not continue the log, and projects the others', async () => {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const logPath = join(folder.path, 'log.sqlite');
  const log = await createSqliteEventLog({ path: logPath, node: 'n1' });
  for (const [revision, count] of [
    [-1, 4],
    [3, 3],
  ] as const)
    await log.append('firewall-main', revision, someEvents(count));
  const head = await log.head();
  await log.close();
  using database = new DatabaseSync(logPath);
  database.exec('DELETE FROM events WHERE position = 5');
  database.close();

  const found: LogBreak[] = [];
  const readModels = createSqliteReadModels({ folder: folder.path, logPath, onBreak: (each) => found.push(each) });
  onTestFinished(() => readModels.close());
  expect(await readModels.progress.reached(head)).toBe(head);
  await vi.waitUntil(() => found.length > 0);
  expect(found).toEqual([{ position: 6, stream: 'firewall-main', revision: 5, reason: 'follows position 4' }]);
});
