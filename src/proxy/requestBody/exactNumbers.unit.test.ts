import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withExactNumbers } from './exactNumbers.ts';

const serializedAgain = (text: string): string => JSON.stringify(withExactNumbers(text, JSON.parse(text)));

test.each([
  '1e999',
  '-1E-999',
  '18446744073709551615',
  '1.50',
  '1.0',
  '0.1000',
  '0.0000001',
  '0.12345678901234567890',
  '123456789.123456789',
  '-0',
  '-0.0',
  '1E2',
  '12345678901234567',
])('serializes %s as received, wherever it is', (number) => {
  const text = `{"a":${number},"b":[${number},{"c":${number}}],"d":1}`;
  expect(serializedAgain(text)).toBe(text);
});

test('finds a number after white space', () => {
  expect(serializedAgain('{ "a" :\n\t 1e999 , "b" : [ 2.50 ] }')).toBe('{"a":1e999,"b":[2.50]}');
});

test('returns the same object when no number would change', () => {
  const text = '{"model":"gpt-5.1","at":1764000000000,"n":[0,-1,123456789012345,0.7,-12.5,1.05],"text":"1.50"}';
  const parsed = JSON.parse(text);
  expect(withExactNumbers(text, parsed)).toBe(parsed);
});

test('leaves strings that look like numbers, and the last value of a repeated name', () => {
  expect(serializedAgain('{"a":"x,1.50","b":1.0,"b":2.0,"__proto__":3.0}')).toBe(
    '{"a":"x,1.50","b":2.0,"__proto__":3.0}',
  );
});

test('changes no number in any notation', () => {
  const number = fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.bigInt({ min: 0n, max: 10n ** 25n }),
      fc.stringMatching(/^(\.\d{1,20})?([eE][+-]?\d{1,3})?$/),
    )
    .map(([sign, digits, rest]) => `${sign}${digits}${rest}`);
  fc.assert(
    fc.property(fc.array(number, { minLength: 1 }), (numbers) => {
      const text = `{"n":[${numbers.join(',')}]}`;
      expect(serializedAgain(text)).toBe(text);
    }),
  );
});
