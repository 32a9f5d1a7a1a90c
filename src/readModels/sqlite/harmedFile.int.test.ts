import { copyFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { someEvents } from '../../../test/contract/events.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import type { RemadeBecause } from './readModelsProtocol.ts';
import { createSqliteReadModels } from './sqliteReadModels.ts';

/** Read models that have all of a log of ten events. */
async function someReadModels() {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const logPath = join(folder.path, 'log.sqlite');
  const log = await createSqliteEventLog({ path: logPath, node: 'n1' });
  onTestFinished(() => log.close());
  await log.append('firewall-main', -1, someEvents(10));
  const remade: (RemadeBecause | undefined)[] = [];
  const options = { folder: folder.path, logPath, onRemaking: (reason?: RemadeBecause) => remade.push(reason) };
  const readModels = createSqliteReadModels(options);
  onTestFinished(() => readModels.close());
  const head = await log.head();
  const entries = async () => (await readModels.history.page({}, null, 50, head)).entries.length;
  expect(await entries()).toBe(10);
  const path = join(folder.path, 'readmodels.sqlite');
  const remadeBecause = () => remade.filter((reason) => reason !== undefined);
  return { log, path, readModels, entries, remade, remadeBecause };
}

function replaceByCopy(path: string): void {
  copyFileSync(path, `${path}.old`);
  renameSync(`${path}.old`, path);
}

test.each([
  ['deleted', 'deleted', (path: string) => rmSync(path)],
  ['moved', 'deleted', (path: string) => renameSync(path, `${path}.moved`)],
  ['replaced', 'deleted', replaceByCopy],
  ['cut to nothing', 'cut', (path: string) => truncateSync(path)],
  ['cut in half', 'cut', (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2))],
] as const)('makes a file again that was %s while it was used, and says so once', async (_, reason, harm) => {
  const { path, entries, remade, remadeBecause } = await someReadModels();
  harm(path);
  await vi.waitUntil(() => remadeBecause().length > 0 && remade.at(-1) === undefined, waitOptions);
  expect(remadeBecause()).toEqual([reason]);
  expect(await entries()).toBe(10);
});

test.each([
  ['deleted', 'deleted', (journal: string) => rmSync(journal)],
  ['cut to nothing', 'cut', (journal: string) => truncateSync(journal)],
] as const)('makes a file again whose write-ahead log was %s while it was used', async (_, reason, harm) => {
  const { path, entries, remade, remadeBecause } = await someReadModels();
  harm(`${path}-wal`);
  await vi.waitUntil(() => remadeBecause().length > 0 && remade.at(-1) === undefined, waitOptions);
  expect(remadeBecause()).toEqual([reason]);
  expect(await entries()).toBe(10);
});

test('leaves a file alone that grows', async () => {
  const { log, readModels, remadeBecause } = await someReadModels();
  for (let revision = 9; revision < 3_009; revision += 1_000)
    await log.append('firewall-main', revision, someEvents(1_000));
  readModels.notify(await log.head());
  await readModels.progress.reached(await log.head());
  await expect(vi.waitUntil(() => remadeBecause().length > 0, { timeout: 1_500 })).rejects.toThrow();
});
