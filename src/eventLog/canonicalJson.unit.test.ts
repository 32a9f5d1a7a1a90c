import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findJsonLoss } from './canonicalJson.ts';

test('accepts only values that survive stringify and parse with the same bytes', () => {
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }), (value) => {
      fc.pre(findJsonLoss(value) === undefined);
      const json = JSON.stringify(value);
      expect(JSON.stringify(JSON.parse(json))).toBe(json);
      expect(JSON.parse(json)).toEqual(value);
    }),
  );
});

test('treats an undefined property as absent', () => {
  expect(findJsonLoss({ a: undefined, b: [{ c: undefined }] })).toBeUndefined();
});

test('accepts keys that start with a digit, fractions and safe integers', () => {
  expect(findJsonLoss({ '4xx': 1, '007': 1, '-1': 1.5, big: Number.MAX_SAFE_INTEGER })).toBeUndefined();
});

test('names the path of the first unstorable value', () => {
  expect(findJsonLoss({ a: [{ b: 0 }, { b: { c: -0 } }] })).toBe('$.a[1].b.c is -0, which JSON writes as 0');
});

test('refuses a cycle without overflowing the stack', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  expect(findJsonLoss(cycle)).toContain('nested deeper');
});
