import { expect, test } from 'vitest';
import { nearestName } from './nearestName.ts';

const NAMES = ['status', 'accountId', 'model', 'since', 'until', 'limit'];

test.each([
  ['accountID', 'accountId'],
  ['apiKeyId', 'accountId'],
  ['', 'status'],
  ['modle', 'model'],
  ['states', 'status'],
  ['limits', 'limit'],
  ['imit', 'limit'],
  ['UNTIL', 'until'],
])('finds for %s the name %s', (name, nearest) => expect(nearestName(name, NAMES)).toBe(nearest));

test('counts inserted, deleted and replaced characters alike', () =>
  expect(nearestName('kitten', ['sittings!', 'sitting', 'mitten-mitten'])).toBe('sitting'));

test('prefers the first of equally near names', () => expect(nearestName('ab', ['ax', 'xb'])).toBe('ax'));

test('finds nothing without names', () => expect(nearestName('at', [])).toBeUndefined());

test('compares a very long name with many others at once', () => {
  const since = performance.now();
  expect(nearestName('x'.repeat(1_000_000), Array(200).fill('model'))).toBe('model');
  expect(performance.now() - since).toBeLessThan(500);
});
