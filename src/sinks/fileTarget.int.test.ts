import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/support/management.ts';
import { FileTarget } from './fileTarget.ts';
import { SinkFailed } from './sink.ts';

function aFile(rotation = { maxBytes: 1_000_000, kept: 2 }, path = join(temporaryFolder(), 'events.jsonl')) {
  const target = new FileTarget(path, rotation);
  onTestFinished(() => target.close());
  return { path, deliver: (...lines: string[]) => target.deliver(lines) };
}
const linesIn = (path: string): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);

test('appends lines, which only the owner writes', async () => {
  const { path, deliver } = aFile();
  await deliver('{"a":1}', '{"a":2}');
  await deliver('{"a":3}');
  expect(linesIn(path)).toEqual(['{"a":1}', '{"a":2}', '{"a":3}']);
  expect(statSync(path).mode & 0o022).toBe(0);
});

test('removes half a line that a kill left, and continues behind the last whole one', async () => {
  const { path } = aFile();
  appendFileSync(path, '{"a":1}\n{"a":2}\n{"half');
  await aFile(undefined, path).deliver('{"a":3}');
  expect(linesIn(path)).toEqual(['{"a":1}', '{"a":2}', '{"a":3}']);
});

test('removes half a line that is longer than what is read at once', async () => {
  const { path } = aFile();
  appendFileSync(path, `{"a":1}\n${'x'.repeat(200_000)}`);
  await aFile(undefined, path).deliver('{"a":2}');
  expect(linesIn(path)).toEqual(['{"a":1}', '{"a":2}']);
});

test('begins another file when one is full, and keeps as many as it is told', async () => {
  const { path, deliver } = aFile({ maxBytes: 10, kept: 2 });
  for (const number of [1, 2, 3, 4]) await deliver(`{"number":${number}}`);
  expect([path, `${path}.1`, `${path}.2`].map(linesIn)).toEqual([['{"number":4}'], ['{"number":3}'], ['{"number":2}']]);
  expect(existsSync(`${path}.3`)).toBe(false);
});

test('keeps no full file when it is told to keep none', async () => {
  const { path, deliver } = aFile({ maxBytes: 10, kept: 0 });
  for (const number of [1, 2]) await deliver(`{"number":${number}}`);
  expect(linesIn(path)).toEqual(['{"number":2}']);
  expect(existsSync(`${path}.1`)).toBe(false);
});

test.each([
  ['moved away', (path: string) => renameSync(path, `${path}.moved`)],
  ['deleted', (path: string) => rmSync(path)],
])('begins a new file when another program has %s the one before', async (_, harm) => {
  const { path, deliver } = aFile();
  await deliver('{"a":1}');
  harm(path);
  await deliver('{"a":2}');
  expect(linesIn(path)).toEqual(['{"a":2}']);
});

test.each([
  ['a folder', (path: string) => mkdirSync(path), 'cannot be written'],
  ['missing with its folder', () => undefined, 'cannot be written'],
  ['a device', (path: string) => symlinkSync('/dev/full', path), 'is not a file'],
])('says so when the path is %s', async (_, prepare, message) => {
  const { path, deliver } = aFile(
    undefined,
    join(temporaryFolder(), _ === 'missing with its folder' ? 'no/file' : 'file'),
  );
  prepare(path);
  const failed = await deliver('{}').catch((error) => error);
  expect(failed).toBeInstanceOf(SinkFailed);
  expect(failed.message).toContain(message);
  expect(failed.remedy).toContain('SVC_SINK_FILE');
});
