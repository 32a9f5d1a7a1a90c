import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFirst, isLast, jsonBytes, listInParts, partOf, shownPart, textInParts } from './parts.ts';

const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ unit: fc.constant('"') }));

test('a text in parts is the text again, and no part is too large or ends within a character', () => {
  fc.assert(
    fc.property(fc.array(anyText, { maxLength: 9 }), fc.integer({ min: 20, max: 90 }), (texts, maxBytes) => {
      const text = texts.join('').toWellFormed();
      const parts = textInParts(text, maxBytes);
      expect(parts.join('')).toBe(text);
      for (const part of parts) {
        expect(jsonBytes(part)).toBeLessThanOrEqual(maxBytes);
        expect(part.isWellFormed()).toBe(true);
      }
    }),
  );
});

test('a list in parts is the list again, and only an item that is too large makes a part too large', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 30 })), fc.integer({ min: 10, max: 90 }), (items, maxBytes) => {
      const parts = listInParts(items, maxBytes);
      expect(parts.flat()).toEqual(items);
      for (const part of parts) {
        if (part.length > 1)
          expect(part.reduce((sum, item) => sum + jsonBytes(item) + 1, 0)).toBeLessThanOrEqual(maxBytes);
      }
    }),
  );
});

test('what fits into one event has no parts', () => {
  expect(textInParts('')).toEqual(['']);
  expect(listInParts([])).toEqual([[]]);
  expect(partOf(0, ['all of it'])).toBeUndefined();
  expect([isFirst(undefined), isLast(undefined), shownPart(undefined)]).toEqual([true, true, '']);
});

test('parts have numbers', () => {
  const parts = ['a', 'b', 'c'].map((_, index, all) => partOf(index, all));
  expect(parts).toEqual([
    [1, 3],
    [2, 3],
    [3, 3],
  ]);
  expect(parts.map(isFirst)).toEqual([true, false, false]);
  expect(parts.map(isLast)).toEqual([false, false, true]);
  expect(parts.map(shownPart)[1]).toBe(' (part 2 of 3)');
});
