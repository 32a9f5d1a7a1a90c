import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AnswerLengths, DEFAULT_OUTPUT_TOKENS, exceedsExpected, expectedOutput, MAX_ANSWERS } from './answerLengths.ts';

const lengthsOf = (...tokens: number[]) => {
  const lengths = new AnswerLengths();
  for (const each of tokens) lengths.add(each);
  return lengths;
};
const times = (count: number, tokens: number) => Array.from({ length: count }, () => tokens);

test('expects the length that nine of ten answers do not exceed', () => {
  expect(lengthsOf(...times(9, 500), 700).expected).toBe(520);
  expect(lengthsOf(...times(8, 500), 700, 700).expected).toBe(700);
});

test('expects at least the mean, which a few very long answers raise', () =>
  expect(lengthsOf(...times(19, 300), 60_000).expected).toBe(3_285));

test('forgets all but the last answers', () => {
  const lengths = lengthsOf(...times(200, 90_000), ...times(MAX_ANSWERS, 100));
  expect(lengths).toMatchObject({ count: MAX_ANSWERS, expected: 100 });
  expect(lengths.toArray()).toEqual(times(MAX_ANSWERS, 100));
});

test('agrees with a list of the last answers after any sequence', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 200_000 }), { minLength: 1, maxLength: 200 }), (all) => {
      const lengths = lengthsOf(...all);
      const last = all.slice(-MAX_ANSWERS);
      expect(lengths.toArray()).toEqual(last);
      const mean = Math.ceil(last.reduce((sum, tokens) => sum + tokens, 0) / last.length);
      const longer = last.filter((tokens) => tokens > lengths.expected).length;
      expect(longer).toBeLessThanOrEqual(last.length / 10);
      expect(lengths.expected).toBeGreaterThanOrEqual(mean);
      const decile = last.toSorted((a, b) => a - b)[Math.ceil(last.length * 0.9) - 1] as number;
      expect(lengths.expected).toBe(Math.max(decile, mean));
      // A copy continues like the original.
      const copy = lengthsOf(...lengths.toArray());
      for (const tokens of [5, 70_000]) {
        lengths.add(tokens);
        copy.add(tokens);
        expect(copy.expected).toBe(lengths.expected);
      }
    }),
  );
});

test('stays exact for lengths beyond any model', () =>
  expect(lengthsOf(Number.MAX_SAFE_INTEGER).expected).toBe(0xffff_ffff));

test('uses the answers of the key, else those of the model, else the default', () => {
  const [short, long] = [lengthsOf(...times(10, 300)), lengthsOf(...times(10, 9_000))];
  expect(expectedOutput(undefined, undefined)).toEqual({ outputTokens: DEFAULT_OUTPUT_TOKENS, source: 'default' });
  expect(expectedOutput(undefined, long)).toEqual({ outputTokens: 9_000, source: 'model' });
  expect(expectedOutput(short, long)).toEqual({ outputTokens: 300, source: 'key' });
});

test('lets fewer than ten answers raise an estimate at once and lower it only later', () => {
  const long = lengthsOf(...times(10, 9_000));
  expect(expectedOutput(lengthsOf(20_000), undefined)).toEqual({ outputTokens: 20_000, source: 'key' });
  expect(expectedOutput(lengthsOf(...times(9, 300)), long)).toEqual({ outputTokens: 9_000, source: 'model' });
  expect(expectedOutput(undefined, lengthsOf(...times(9, 300)))).toMatchObject({ source: 'default' });
});

test('learns from an answer that was cut off only that answers are longer', () => {
  expect(exceedsExpected(undefined, DEFAULT_OUTPUT_TOKENS)).toBe(false);
  expect(exceedsExpected(undefined, DEFAULT_OUTPUT_TOKENS + 1)).toBe(true);
  expect(exceedsExpected(lengthsOf(...times(10, 9_000)), 5_000)).toBe(false);
  expect(exceedsExpected(lengthsOf(...times(10, 300)), 301)).toBe(true);
});
