import { appendFileSync, copyFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { openDataFolder } from '../../dataFolder/dataFolder.ts';
import { Faults } from '../../lib/faults.ts';
import { watchDataFolder } from './watchDataFolder.ts';

async function aWatchedFile() {
  const temp = await tempFolder();
  onTestFinished(() => temp[Symbol.asyncDispose]());
  const folder = openDataFolder(temp.path);
  onTestFinished(() => folder.close());
  const path = folder.file('log.sqlite');
  writeFileSync(path, 'the log');
  const lines: string[] = [];
  const faults = new Faults({ print: (line) => lines.push(line), now: () => 0 });
  const watch = watchDataFolder({ folder, files: [path], faults, intervalMs: 5 });
  onTestFinished(() => watch.stop());
  return { path, faults, lines, watch };
}

test('names a file that is missing until the same file is back', async () => {
  const { path, faults, lines } = await aWatchedFile();
  renameSync(path, `${path}.moved`);
  await vi.waitUntil(() => faults.current.length > 0);
  expect(faults.current).toEqual([
    expect.objectContaining({ code: 'data_file_missing', subject: 'log.sqlite', cause: expect.stringContaining(path) }),
  ]);
  copyFileSync(`${path}.moved`, path);
  renameSync(`${path}.moved`, path);
  await vi.waitUntil(() => faults.current.length === 0);
  expect(lines).toHaveLength(2);
});

test('names a file that was replaced by a copy', async () => {
  const { path, faults } = await aWatchedFile();
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
  await vi.waitUntil(() => faults.current.length > 0);
  expect(faults.current).toMatchObject([
    { code: 'data_file_missing', remedy: expect.stringContaining('Put the file back') },
  ]);
});

test('names a file that was cut, also after it grew again, and refuses writes', async () => {
  const { path, faults, lines, watch } = await aWatchedFile();
  truncateSync(path, 3);
  await vi.waitUntil(() => faults.current.length > 0);
  appendFileSync(path, 'what is written behind the gap');
  await expect(vi.waitUntil(() => faults.current.length === 0, { timeout: 50 })).rejects.toThrow();
  expect(faults.current).toMatchObject([
    { code: 'data_file_cut', subject: 'log.sqlite', remedy: 'Stop svc and restore the data folder from a backup.' },
  ]);
  expect(watch.refusal).toBe(`${path} was cut`);
  expect(lines).toHaveLength(1);
});

test('takes a file that grows for one in order', async () => {
  const { path, faults, watch } = await aWatchedFile();
  for (let count = 0; count < 5; count += 1) appendFileSync(path, 'more');
  await expect(vi.waitUntil(() => faults.current.length > 0, { timeout: 50 })).rejects.toThrow();
  expect(watch.refusal).toBeUndefined();
});
