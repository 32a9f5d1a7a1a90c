import { expect, test } from 'vitest';
import { boundOf, packColumn, unpackColumn, unpackSome } from './column.ts';

test.each([
  ['no bytes for zeros', [0, 0, 0], 0],
  ['a byte for small numbers', [0, 1, 255], 3],
  ['two bytes for numbers up to 65,535', [256, 0, 65_535], 6],
  ['four bytes for numbers of 32 bits', [65_536, 4_294_967_295, 7], 12],
  ['eight bytes for larger numbers', [4_294_967_296, 9_007_199_254_740_991, 1], 24],
  ['eight bytes for negative numbers, as a clock that was set back gives', [-1, 0, 5], 24],
])('takes %s', (_, values, bytes) => {
  const packed = packColumn(Float64Array.from(values));
  expect(packed.length).toBe(bytes);
  expect([...unpackColumn(packed, values.length)]).toEqual(values);
  const some = unpackSome(packed, values.length, Int32Array.of(0, 2, 0), 2, new Uint32Array(2));
  expect([...some]).toEqual([values[0], values[2]]);
  expect(boundOf(packed, some, values.length)).toBeGreaterThanOrEqual(Math.max(...some));
});

test('reads bytes wherever they are in a buffer', () => {
  const packed = packColumn(Float64Array.of(70_000, 3));
  const buffer = new Uint8Array(packed.length + 1);
  buffer.set(packed, 1);
  expect([...unpackColumn(buffer.subarray(1), 2)]).toEqual([70_000, 3]);
  expect([...unpackSome(buffer.subarray(1), 2, Int32Array.of(1), 1, new Uint32Array(1))]).toEqual([3]);
});
