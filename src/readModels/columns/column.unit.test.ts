import { expect, test } from 'vitest';
import { packColumn, unpackColumn } from './column.ts';

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
});

test('reads bytes wherever they are in a buffer', () => {
  const packed = packColumn(Float64Array.of(70_000, 3));
  const buffer = new Uint8Array(packed.length + 1);
  buffer.set(packed, 1);
  expect([...unpackColumn(buffer.subarray(1), 2)]).toEqual([70_000, 3]);
});
