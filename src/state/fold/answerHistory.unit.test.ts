import { deserialize, serialize } from 'node:v8';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ApiKeyId, position } from '../../domain/core/brands.ts';
import { AnswerHistory, type AnswerHistoryData } from './answerHistory.ts';

const [first, second] = ['k1', 'k2'] as [ApiKeyId, ApiKeyId];

interface Answer {
  keyId: ApiKeyId | null;
  model: string;
  tokens: number;
  isWhole?: boolean;
}

/** Records answers at the positions that follow one another. */
function recordAll(history: AnswerHistory, answers: readonly Answer[], from = 1): AnswerHistory {
  answers.forEach(({ keyId, model, tokens, isWhole = true }, index) => {
    history.record(keyId, model, tokens, isWhole, position(from + index));
  });
  return history;
}

const ten = (answer: Answer) => Array.from({ length: 10 }, () => answer);

test('expects of a key what its own answers with the model used, and of a new key what all used', () => {
  const history = recordAll(new AnswerHistory(), [
    ...ten({ keyId: first, model: 'gpt-5', tokens: 9_000 }),
    ...ten({ keyId: second, model: 'gpt-5.1', tokens: 100 }),
    ...ten({ keyId: null, model: 'gpt-4', tokens: 40 }),
  ]);
  expect(history.expected(first, 'gpt-5')).toEqual({ outputTokens: 9_000, source: 'key' });
  expect(history.expected(second, 'gpt-5')).toEqual({ outputTokens: 9_000, source: 'model' });
  expect(history.expected(first, 'gpt-4')).toEqual({ outputTokens: 40, source: 'model' });
  expect(history.expected(first, 'o3')).toMatchObject({ source: 'default' });
});

test('forgets the answers of a deleted key', () => {
  const history = recordAll(new AnswerHistory(), ten({ keyId: first, model: 'gpt-5', tokens: 9_000 }));
  history.forget(first);
  expect(history.size).toBe(1);
  expect(history.expected(first, 'gpt-5')).toMatchObject({ source: 'model' });
});

test('ignores an answer that was cut off below the expected length', () => {
  const history = recordAll(new AnswerHistory(), ten({ keyId: first, model: 'gpt-5', tokens: 500, isWhole: false }));
  expect(history.size).toBe(0);
  recordAll(history, [{ keyId: first, model: 'gpt-5', tokens: 30_000, isWhole: false }], 11);
  expect(history.expected(first, 'gpt-5')).toEqual({ outputTokens: 30_000, source: 'key' });
});

test('keeps a bounded number of models, the least recently used of which go first', () => {
  const invented = Array.from({ length: 20_000 }, (_, index) => ({ keyId: first, model: `m${index}`, tokens: 7_000 }));
  const history = recordAll(new AnswerHistory(), [{ keyId: second, model: 'gpt-5', tokens: 9_000 }]);
  invented.forEach((answer, index) => {
    recordAll(history, [answer], 2 + 2 * index);
    if (index % 100 === 0) recordAll(history, [{ keyId: second, model: 'gpt-5', tokens: 9_000 }], 3 + 2 * index);
    expect(history.size).toBeLessThanOrEqual(4_096);
  });
  expect(history.expected(second, 'gpt-5')).toEqual({ outputTokens: 9_000, source: 'key' });
  expect(history.expected(first, 'm19999')).toMatchObject({ source: 'key' });
  expect(history.expected(first, 'm0')).toMatchObject({ source: 'default' });
});

test('continues from its data as if it had not been interrupted', () => {
  const answer = fc.record({
    keyId: fc.constantFrom(null, first, second),
    model: fc.constantFrom('gpt-5', 'gpt-5.1'),
    tokens: fc.nat({ max: 100_000 }),
    isWhole: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 200 }), fc.nat({ max: 200 }), (answers, at) => {
      const whole = recordAll(new AnswerHistory(), answers);
      const before = recordAll(new AnswerHistory(), answers.slice(0, at));
      const restored = AnswerHistory.from(deserialize(serialize(before.data())) as AnswerHistoryData);
      const resumed = recordAll(restored, answers.slice(at), 1 + at);
      expect(resumed.data()).toEqual(whole.data());
      expect(resumed.size).toBe(whole.size);
    }),
  );
});
