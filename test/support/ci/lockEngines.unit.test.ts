import { expect, test } from 'vitest';
import { acceptsNode20AndLater, packagesThatRefuse, readLockFile } from './lockEngines.ts';

test.each([
  ['>=20', true],
  ['>= 20.0.0', true],
  ['>=14.17', true],
  ['^12.20.0 || >=14', true],
  ['>= 10.x', true],
  ['*', true],
  ['>=20.19.0', false],
  ['>=22', false],
  ['^20.19.0 || >=22.12.0', false],
  ['20 || 22 || >=24', false],
])('the range %s: contains 20.0.0 and all later versions: %s', (range, expected) =>
  expect(acceptsNode20AndLater(range)).toBe(expected),
);

test('npm with any Node from 20 on installs every package of the lock file without a warning', () =>
  expect(packagesThatRefuse(readLockFile()), 'run "npm run lock"').toEqual([]));
