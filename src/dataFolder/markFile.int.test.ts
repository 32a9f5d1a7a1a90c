import { pbkdf2 } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempFolder } from '../../test/contract/tempFolder.ts';
import { waitOptions } from '../../test/support/waitOptions.ts';
import { MarkFile, readMarkFile } from './markFile.ts';

interface Mark {
  readonly position: number;
}

async function markPath(): Promise<string> {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return join(folder.path, 'log.mark');
}

test('has no mark before the first one', async () => {
  const path = await markPath();
  expect(readMarkFile(path)).toEqual({ kind: 'missing' });
  expect(existsSync(path)).toBe(false);
});

test('holds exactly the last mark after it was closed', async () => {
  const path = await markPath();
  for (let run = 1; run <= 5; run += 1) {
    const file = new MarkFile<Mark>(path);
    for (let step = 1; step <= run; step += 1) file.note({ position: 10 * run + step });
    file.close();
    expect(readMarkFile(path)).toEqual({ kind: 'mark', mark: { position: 11 * run } });
  }
});

test('holds a noted mark without a sync, as after the end of the process', async () => {
  const path = await markPath();
  const file = new MarkFile<Mark>(path, { syncIntervalMs: 3_600_000 });
  onTestFinished(() => file.close());
  for (const position of [1, 2, 3]) {
    file.note({ position });
    await vi.waitUntil(() => hasMark(path, position), { ...waitOptions, interval: 1 });
  }
});

test('keeps the synced mark while the other slot is written, whichever write is torn', async () => {
  const path = await markPath();
  const file = new MarkFile<Mark>(path, { syncIntervalMs: 3_600_000 });
  onTestFinished(() => file.close());
  for (let position = 1; position <= 6; position += 1) {
    file.noteNow({ position });
    file.note({ position: position + 100 });
    await vi.waitUntil(() => hasMark(path, position + 100), { ...waitOptions, interval: 1 });
    const copy = `${path}.copy`;
    for (const tear of [0, 15, 25, 35]) {
      writeFileSync(copy, readFileSync(path));
      tearNewest(copy, position + 100, tear);
      expect(readMarkFile(copy), `torn at ${tear}`).toEqual({ kind: 'mark', mark: { position } });
    }
  }
});

test('syncs by itself, and writes the next mark beside the synced one', async () => {
  const path = await markPath();
  const file = new MarkFile<Mark>(path, { syncIntervalMs: 5 });
  onTestFinished(() => file.close());
  let position = 1;
  const isBesideSynced = async () => {
    position += 1;
    file.note({ position });
    await vi.waitUntil(() => hasMark(path, position), { ...waitOptions, interval: 1 });
    return readFileSync(path, 'utf8').includes(`{"position":${position - 1}}`);
  };
  await vi.waitUntil(isBesideSynced, { ...waitOptions, interval: 7 });
});

test.each([
  ['of zero bytes', ''],
  ['of another program', 'something else\n'.repeat(600)],
])('calls a file %s damaged, and writes it again', async (_what, content) => {
  const path = await markPath();
  writeFileSync(path, content);
  expect(readMarkFile(path)).toEqual({ kind: 'damaged' });
  const file = new MarkFile<Mark>(path);
  file.note({ position: 7 });
  file.close();
  expect(readMarkFile(path)).toEqual({ kind: 'mark', mark: { position: 7 } });
});

test('names a file that cannot be used, and what to do', async () => {
  const path = await markPath();
  mkdirSync(path);
  const refusal = expect.objectContaining({
    code: 'CANNOT_USE_MARK_FILE',
    message: expect.stringMatching(
      /log\.mark, which says how far .* cannot be used: EISDIR.*\. It is a folder: move it away, and restore/,
    ),
  });
  expect(() => readMarkFile(path)).toThrow(refusal);
  expect(() => new MarkFile(path)).toThrow(refusal);
});

test('reads a file that was cut after its first slot', async () => {
  const path = await markPath();
  const file = new MarkFile<Mark>(path);
  file.noteNow({ position: 1 });
  file.noteNow({ position: 2 });
  file.close();
  truncateSync(path, 16_384);
  expect(readMarkFile(path)).toEqual({ kind: 'mark', mark: { position: 1 } });
});

test('reports a mark that does not fit, and the recovery after it', async () => {
  const path = await markPath();
  const events: string[] = [];
  const file = new MarkFile<{ position: number; text?: string }>(path, {
    syncIntervalMs: 5,
    onFailure: ({ message }) => events.push(message),
    onRecovered: () => events.push('recovered'),
  });
  onTestFinished(() => file.close());
  file.note({ position: 1, text: 'x'.repeat(20_000) });
  await vi.waitUntil(() => events.length === 1, { ...waitOptions, interval: 1 });
  file.note({ position: 2 });
  await vi.waitUntil(() => events.includes('recovered'), { ...waitOptions, interval: 1 });
  expect(events[0]).toMatch(/does not fit into \S+log\.mark/);
});

function hasMark(path: string, position: number): boolean {
  const content = readMarkFile<Mark>(path);
  return content.kind === 'mark' && content.mark.position === position;
}

/** Overwrites the newest slot from a byte on, as a power cut during its write may leave it. */
function tearNewest(path: string, position: number, from: number): void {
  const text = readFileSync(path, 'utf8');
  const slot = text.indexOf(`{"position":${position}}`) < 16_384 ? 0 : 1;
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(200, 0), 0, 200, slot * 16_384 + from);
  closeSync(file);
}

test('holds the last mark of a file that was closed during a sync', async () => {
  const path = await markPath();
  const file = new MarkFile<Mark>(path, { syncIntervalMs: 1 });
  // The threads that sync are busy, so a sync lasts until they are not.
  const busy = Array.from({ length: 8 }, () => promisify(pbkdf2)('', '', 300_000, 64, 'sha512'));
  file.note({ position: 1 });
  await vi.waitUntil(() => hasMark(path, 1), { ...waitOptions, interval: 1 });
  // Its timer was set before this one.
  await new Promise((resolve) => setTimeout(resolve, 2));
  file.note({ position: 2 });
  file.close();
  expect(readMarkFile(path)).toEqual({ kind: 'mark', mark: { position: 2 } });
  await Promise.all(busy);
});

function replaceIt(path: string): void {
  writeFileSync(`${path}.new`, 'x');
  renameSync(`${path}.new`, path);
}

test.each([
  ['deleted', (path: string) => rmSync(path)],
  ['replaced', replaceIt],
  ['cut', (path: string) => truncateSync(path)],
])('writes a mark again whose file was %s while it is open', async (_, harm) => {
  const path = await markPath();
  const file = new MarkFile<Mark>(path, { syncIntervalMs: 5 });
  onTestFinished(() => file.close());
  file.noteNow({ position: 7 });
  harm(path);
  await vi.waitUntil(() => hasMark(path, 7), { ...waitOptions, interval: 1 });
  file.note({ position: 8 });
  await vi.waitUntil(() => hasMark(path, 8), { ...waitOptions, interval: 1 });
  harm(path);
  file.close();
  expect(readMarkFile(path)).toEqual({ kind: 'mark', mark: { position: 8 } });
});
