import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findJsonLoss } from './canonicalJson.ts';

test('what has no loss is the same after stringify and parse, and stringifies to the same bytes again', () => {
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }), (value) => {
      fc.pre(findJsonLoss(value) === undefined);
      const json = JSON.stringify(value);
      expect(JSON.stringify(JSON.parse(json))).toBe(json);
      expect(JSON.parse(json)).toEqual(value);
    }),
  );
});

test('a property that is undefined is as good as absent', () => {
  expect(findJsonLoss({ a: undefined, b: [{ c: undefined }] })).toBeUndefined();
});

test('keys that only start with a digit, fractions and safe integers pass', () => {
  expect(findJsonLoss({ '4xx': 1, '007': 1, '-1': 1.5, big: Number.MAX_SAFE_INTEGER })).toBeUndefined();
});

test('the place of the first mistake is named from the top', () => {
  expect(findJsonLoss({ a: [{ b: 0 }, { b: { c: -0 } }] })).toBe('$.a[1].b.c is -0, which JSON writes as 0');
});

test('a cycle ends in a refusal and not in a full stack', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  expect(findJsonLoss(cycle)).toContain('nested deeper');
});
