import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonContainerScanner } from './jsonContainerScanner.ts';
import { endOfPlainString, endOfString } from './jsonScan.ts';

const textWithSpecials = fc
  .array(fc.constantFrom('a', '"', '\\', '{', ']', 'é', '😀', ' ', '\n', 'x'.repeat(50), '\\'.repeat(49)), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''));

test('finds the end of a string', () =>
  fc.assert(
    fc.property(textWithSpecials, textWithSpecials, (text, next) => {
      const raw = Buffer.from(JSON.stringify(text) + JSON.stringify(next));
      expect(endOfString(raw, 1)).toBe(Buffer.byteLength(JSON.stringify(text)));
    }),
  ));

test('finds no end of an unclosed string', () => {
  for (const text of [
    '"',
    '"abc',
    '"abc\\"',
    `"${'a'.repeat(100)}`,
    `"${'a'.repeat(100)}\\"`,
    '"\\',
    `"${'a'.repeat(47)}\\`,
  ]) {
    expect(endOfString(Buffer.from(text), 1), text).toBe(-1);
  }
});

test('finds no end of a plain string with anything but unescaped ASCII', () => {
  expect(endOfPlainString(Buffer.from('"abc"'), 1, 10)).toBe(4);
  for (const text of ['"a\\n"', '"é"', '"a\u0001"', '"abc', '"0123456789"']) {
    expect(endOfPlainString(Buffer.from(text), 1, 10), text).toBe(-1);
  }
});

const nested = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 6 }, textWithSpecials, tie('array'), tie('object')),
  array: fc.array(tie('value'), { maxLength: 8 }),
  object: fc.dictionary(textWithSpecials, tie('value'), { maxKeys: 8 }),
}));

test('finds the ends of objects and arrays in any order', () =>
  fc.assert(
    fc.property(fc.array(fc.oneof(nested.array, nested.object), { minLength: 1 }), fc.boolean(), (values, isSpaced) => {
      const texts = values.map((value) => JSON.stringify(value, null, isSpaced ? 1 : 0));
      const raw = Buffer.from(texts.join(','));
      const scanner = new JsonContainerScanner(raw);
      const starts = texts.map((_, index) => Buffer.byteLength(texts.slice(0, index).join('')) + index);
      for (const index of [...starts.keys(), 0]) {
        const end = (starts[index] as number) + Buffer.byteLength(texts[index] as string);
        expect(scanner.endOf(starts[index] as number, 128)).toBe(end);
      }
    }),
  ));

test('finds the end of a value longer than the decoded pieces', () => {
  const value = Array.from({ length: 20_000 }, (_, index) => ({ [`key ${index}`]: ['x'.repeat(index % 97), '\\"'] }));
  const raw = Buffer.from(` ${JSON.stringify(value)} `);
  expect(new JsonContainerScanner(raw).endOf(1, 3)).toBe(raw.length - 1);
});

test('finds no end of an unclosed value, or of one nested too deeply', () => {
  expect(new JsonContainerScanner(Buffer.from('[[1]')).endOf(0, 128)).toBe(-1);
  expect(new JsonContainerScanner(Buffer.from('[["]]')).endOf(0, 128)).toBe(-1);
  expect(new JsonContainerScanner(Buffer.from('[{"a":[]}]')).endOf(0, 3)).toBe(10);
  expect(new JsonContainerScanner(Buffer.from('[{"a":[]}]')).endOf(0, 2)).toBe(-1);
});
