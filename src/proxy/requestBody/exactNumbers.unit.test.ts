import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withExactNumbers } from './exactNumbers.ts';

const rewritten = (text: string): string => JSON.stringify(withExactNumbers(text, JSON.parse(text)));

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
])('%s is written again as it came, wherever it stands', (number) => {
  const text = `{"a":${number},"b":[${number},{"c":${number}}],"d":1}`;
  expect(rewritten(text)).toBe(text);
});

test('space before a number does not hide it', () => {
  expect(rewritten('{ "a" :\n\t 1e999 , "b" : [ 2.50 ] }')).toBe('{"a":1e999,"b":[2.50]}');
});

test('an object whose numbers stay the same is not read a second time', () => {
  const text = '{"model":"gpt-5.1","at":1764000000000,"n":[0,-1,123456789012345,0.7,-12.5,1.05],"text":"1.50"}';
  const parsed = JSON.parse(text);
  expect(withExactNumbers(text, parsed)).toBe(parsed);
});

test('texts that look like numbers stay texts, and a name that comes twice has its last value', () => {
  expect(rewritten('{"a":"x,1.50","b":1.0,"b":2.0,"__proto__":3.0}')).toBe('{"a":"x,1.50","b":2.0,"__proto__":3.0}');
});

test('whatever is written, no number changes', () => {
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
      expect(rewritten(text)).toBe(text);
    }),
  );
});
