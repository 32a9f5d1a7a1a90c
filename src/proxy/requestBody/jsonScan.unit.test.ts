import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonContainerScanner } from './jsonContainerScanner.ts';
import { endOfPlainString, endOfString } from './jsonScan.ts';

const hardText = fc
  .array(fc.constantFrom('a', '"', '\\', '{', ']', 'é', '😀', ' ', '\n', 'x'.repeat(50), '\\'.repeat(49)), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''));

test('a string ends where JSON says', () =>
  fc.assert(
    fc.property(hardText, hardText, (text, behind) => {
      const raw = Buffer.from(JSON.stringify(text) + JSON.stringify(behind));
      expect(endOfString(raw, 1)).toBe(Buffer.byteLength(JSON.stringify(text)));
    }),
  ));

test('a string that is not closed has no end', () => {
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

test('a string of anything but plain ASCII is no plain string', () => {
  expect(endOfPlainString(Buffer.from('"abc"'), 1, 10)).toBe(4);
  for (const text of ['"a\\n"', '"é"', '"a\u0001"', '"abc', '"0123456789"']) {
    expect(endOfPlainString(Buffer.from(text), 1, 10), text).toBe(-1);
  }
});

const nested = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 6 }, hardText, tie('array'), tie('object')),
  array: fc.array(tie('value'), { maxLength: 8 }),
  object: fc.dictionary(hardText, tie('value'), { maxKeys: 8 }),
}));

test('objects and arrays end where JSON says, whatever was looked at before', () =>
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

test('a value longer than all pieces of text has an end', () => {
  const value = Array.from({ length: 20_000 }, (_, index) => ({ [`key ${index}`]: ['x'.repeat(index % 97), '\\"'] }));
  const raw = Buffer.from(` ${JSON.stringify(value)} `);
  expect(new JsonContainerScanner(raw).endOf(1, 3)).toBe(raw.length - 1);
});

test('a value that is not closed, or nested deeper than allowed, has no end', () => {
  expect(new JsonContainerScanner(Buffer.from('[[1]')).endOf(0, 128)).toBe(-1);
  expect(new JsonContainerScanner(Buffer.from('[["]]')).endOf(0, 128)).toBe(-1);
  expect(new JsonContainerScanner(Buffer.from('[{"a":[]}]')).endOf(0, 3)).toBe(10);
  expect(new JsonContainerScanner(Buffer.from('[{"a":[]}]')).endOf(0, 2)).toBe(-1);
});
