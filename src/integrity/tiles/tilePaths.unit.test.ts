import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBundle, encodeBundle } from './entryBundle.ts';
import { parseTilePath, tilePath, tilesOf, tileWidth } from './tilePaths.ts';

test('names tiles as c2sp.org/tlog-tiles does', () => {
  expect(tilePath({ level: 0, index: 1_234_067, width: 256 })).toBe('tile/0/x001/x234/067');
  expect(tilePath({ level: 'entries', index: 3, width: 12 })).toBe('tile/entries/003.p/12');
  expect(tilePath({ level: 2, index: 1_000, width: 1 })).toBe('tile/2/x001/000.p/1');
});

test('reads back every name that it writes', () => {
  const names = fc.record({
    level: fc.oneof(fc.constant('entries' as const), fc.nat(63)),
    index: fc.maxSafeNat(),
    width: fc.integer({ min: 1, max: 256 }),
  });
  fc.assert(
    fc.property(names, (name) => {
      expect(parseTilePath(tilePath(name))).toEqual(name);
    }),
  );
});

test.each([
  'tile/00/000',
  'tile/64/000',
  'tile/-1/000',
  'tile/0/0',
  'tile/0/x000/001',
  'tile/0/001/002',
  'tile/0/x001',
  'tile/0/000.p/0',
  'tile/0/000.p/256',
  'tile/0/000.p/01',
  'tile/0/000.p/',
  'tile/0/000.p/1.p/1',
  'tile/0/000/',
  '/tile/0/000',
  'tile/entry/000',
  'tile/0/../000',
  'tile/0/x999/x999/x999/x999/x999/x999/999',
  'tile/0/00a',
  'tile/0/000\n',
])('refuses the path %j', (path) => {
  expect(parseTilePath(path)).toBeUndefined();
});

test('lists the tiles of the example in c2sp.org/tlog-tiles', () => {
  const tiles = [...tilesOf(70_000)].filter(({ level }) => level !== 'entries');
  expect(tiles.filter(({ level, width }) => level === 0 && width === 256)).toHaveLength(273);
  expect(tiles.filter(({ level, width }) => level !== 0 || width < 256)).toEqual([
    { level: 0, index: 273, width: 112 },
    { level: 1, index: 0, width: 256 },
    { level: 1, index: 1, width: 17 },
    { level: 2, index: 0, width: 1 },
  ]);
  expect([...tilesOf(0)]).toEqual([]);
  expect(tileWidth(1, 0, 256)).toBe(1);
});

test('reads back the entries of a bundle, and refuses one that is cut', () => {
  const bundle = encodeBundle([Buffer.from('one'), Buffer.alloc(0), Buffer.alloc(60_000, 7)]);
  expect(decodeBundle(bundle)).toEqual([Buffer.from('one'), Buffer.alloc(0), Buffer.alloc(60_000, 7)]);
  for (const end of [1, 4, 6, 8, bundle.length - 1]) {
    expect(() => decodeBundle(bundle.subarray(0, end))).toThrow('ends within');
  }
});
