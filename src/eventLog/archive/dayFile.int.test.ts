import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../../test/contract/tempFolder.ts';

import { ArchiveFileUnusable, DayFileWriter, type DayRow, readDayFile } from './dayFile.ts';

const rowAt = (position: number): DayRow =>
  ({
    ...{
      position,
      stream: 'requests-n.b_20260101',
      revision: position - 1,
      id: `id ${position}`,
      type: 'RequestCompleted',
    },
    ...{ version: 2, time: 1_000 + position, data: `{"text":"${'é'.repeat(400 + (position % 7))}"}`, metadata: '{}' },
  }) as DayRow;

/** Several frames. */
const ROWS = Array.from({ length: 6_000 }, (_, index) => rowAt(index + 1));

async function aFile(): Promise<string> {
  const temp = await tempFolder();
  onTestFinished(() => temp[Symbol.asyncDispose]());
  const writer = new DayFileWriter(temp.path, '2026-01-01', 'test');
  for (const row of ROWS) writer.add(row);
  return join(temp.path, writer.finish().name);
}

test('reads back every row of a day of several megabytes', async () => {
  expect([...readDayFile(await aFile())]).toEqual(ROWS);
});

test.skipIf(spawnSync('zstd', ['--version']).error !== undefined)('can be read by any zstd (needs zstd)', async () => {
  const text = execFileSync('zstd', ['-dc', await aFile()], { maxBuffer: 64 * 1_048_576 }).toString();
  expect(text.split('\n')).toHaveLength(ROWS.length + 3);
});

test.each([
  ['is cut in its last frame', (path: string) => truncateSync(path, readFileSync(path).length - 5)],
  ['is cut in the length of a frame', (path: string) => truncateSync(path, 9)],
  ['is empty', (path: string) => truncateSync(path, 0)],
  ['has other bytes', (path: string) => writeFileSync(path, 'no archive at all')],
  [
    'has a length that no frame has',
    (path: string) => {
      const bytes = readFileSync(path);
      bytes.writeUInt32LE(0xffff_ffff, 8);
      writeFileSync(path, bytes);
    },
  ],
])('refuses a file that %s, with its path', async (_what, damage) => {
  const path = await aFile();
  damage(path);
  expect(() => [...readDayFile(path)]).toThrow(ArchiveFileUnusable);
  expect(() => [...readDayFile(path)]).toThrow(path);
});
