import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Keys64 } from './keys64.ts';
import { RepeatedKeys } from './repeatedKeys.ts';

const keysOf = (texts: readonly string[]): Uint32Array => {
  const keys = new Keys64();
  for (const text of texts) keys.add(text);
  return keys.toArray();
};
const many = Array.from({ length: 5_000 }, (_, index) => `event-${index}`);

/** Adds texts in parts of this size. */
function withTexts(texts: readonly string[], size: number, maxKeys: number) {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'));
  const keys = new RepeatedKeys({ maxKeys, folder });
  onTestFinished(() => {
    keys.close();
    rmSync(folder, { recursive: true });
  });
  for (let at = 0; at < texts.length; at += size) keys.add(keysOf(texts.slice(at, at + size)));
  return { keys, folder };
}

test.each([
  [10_000, 'in memory'],
  [1_000, 'with runs in a file'],
  [97, 'with many short runs'],
])('finds every repeated key with at most %i in memory: %s', (maxKeys) => {
  const repeated = ['event-0', 'event-96', 'event-97', 'event-2500', 'event-4999'];
  const texts = [...many, ...repeated, 'event-0'];
  const { keys, folder } = withTexts(texts, 300, maxKeys);
  expect([...keys.find(100)].toSorted()).toEqual(repeated.map((text) => Keys64.keyOf(text)).toSorted());
  expect(readdirSync(folder)).toEqual([]);
});

test.each([10_000, 97])('finds nothing where no key is repeated, with %i in memory', (maxKeys) => {
  const { keys } = withTexts(many, 1_000, maxKeys);
  expect(keys.find(100)).toEqual(new Set());
});

test('stops at a limit', () => {
  const { keys } = withTexts([...many, ...many], 1_000, 1_000);
  expect(keys.find(7).size).toBe(7);
});
