import { expect, test } from 'vitest';
import { productionPackages } from './productionPackages.ts';

test('finds packages as Node does: nested ones first, then those of the folders above', () => {
  const locked = {
    '': {},
    'node_modules/a': { dependencies: { b: '1', c: '1' } },
    'node_modules/a/node_modules/b': { dependencies: { c: '2' } },
    'node_modules/b': { dependencies: { d: '1' } },
    'node_modules/c': { optionalDependencies: { 'other-platform': '1' } },
    'node_modules/d': {},
    'node_modules/@s/e': { peerDependencies: { a: '1' } },
  };
  expect(productionPackages(locked, ['a'])).toEqual([
    'node_modules/a',
    'node_modules/a/node_modules/b',
    'node_modules/c',
  ]);
  expect(productionPackages(locked, ['b'])).toEqual(['node_modules/b', 'node_modules/d']);
  expect(productionPackages(locked, ['@s/e'])).toContain('node_modules/a');
});
