import { expect, test } from 'vitest';
import { nearestName } from './nearestName.ts';

const NAMES = ['status', 'accountId', 'model', 'since', 'until', 'limit'];

test.each([
  ['accountID', 'accountId'],
  ['account', 'accountId'],
  ['modle', 'model'],
  ['states', 'status'],
  ['limits', 'limit'],
  ['imit', 'limit'],
  ['UNTIL', 'until'],
])('finds for %s the name %s', (name, nearest) => expect(nearestName(name, NAMES)).toBe(nearest));

test.each(['apiKeyId', 'apiKeyIdd', '', 'x', 'search', 'constructor'])('finds no name for %s', (name) =>
  expect(nearestName(name, NAMES)).toBeUndefined(),
);

test('counts inserted, deleted, replaced and swapped characters alike', () => {
  expect(nearestName('kitten', ['kittens!!', 'sittens', 'mitten-mitten'])).toBe('sittens');
  expect(nearestName('prot', ['part', 'port'])).toBe('port');
});

test('prefers the first of equally near names', () => expect(nearestName('abc', ['abx', 'xbc'])).toBe('abx'));

test('finds nothing without names', () => expect(nearestName('at', [])).toBeUndefined());

test('compares a very long name with many others at once', () => {
  const since = performance.now();
  expect(nearestName('x'.repeat(1_000_000), Array(200).fill('model'))).toBeUndefined();
  expect(performance.now() - since).toBeLessThan(500);
});
