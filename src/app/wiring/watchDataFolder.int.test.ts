import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
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
  return { path, folder, faults, lines, watch };
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

test.each([
  ['deleted', (path: string) => rmSync(path)],
  ['changed', (path: string) => writeFileSync(path, 'another\n')],
])('writes the files with the name of the node again when they were %s, and says so', async (_what, harm) => {
  const { folder, faults } = await aWatchedFile();
  for (const name of ['node-id', 'node.mark']) {
    const path = folder.file(name);
    const before = readFileSync(path, 'utf8');
    harm(path);
    await vi.waitUntil(() => faults.has('node_file_replaced', name));
    expect(readFileSync(path, 'utf8')).toBe(before);
  }
  expect(faults.current[0]?.cause).toBe(
    `${folder.file('node-id')} was deleted or changed while svc runs, and was written again.`,
  );
});

test('names what keeps it from writing the name of the node until it can', async () => {
  const { folder, faults } = await aWatchedFile();
  const path = folder.file('node-id');
  rmSync(path);
  mkdirSync(path);
  await vi.waitUntil(() => faults.has('node_file_replaced'));
  expect(faults.current[0]?.cause).toMatch(/node-id, which has the name of this node, cannot be read: EISDIR/);
  rmSync(path, { recursive: true });
  await vi.waitUntil(() => !faults.has('node_file_replaced'));
  expect(readFileSync(path, 'utf8')).toBe(`${folder.node}\n`);
});
