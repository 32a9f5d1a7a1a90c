import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../domain/core/parts.ts';
import { decide } from '../../domain/modelCatalogue/decide.ts';
import { initialState } from '../../domain/modelCatalogue/state.ts';
import { readModels } from './modelsPayload.ts';

const payload = (...models: readonly object[]) => JSON.stringify({ models });

/** EventStoreDB refuses an append of 1 MiB; metadata takes some of it. */
const MAX_RECORDED_BYTES = 900_000;

describe('what one command records fits into an append', () => {
  test.each([
    ['letters', 'a'],
    ['quotes, which are escaped twice', '"'],
    ['characters of three bytes', '中'],
    ['control characters', '\u0001'],
  ])('with %s', (_what, character) => {
    const long = { slug: 'long', text: character.repeat(900_000) };
    const short = Array.from({ length: 499 }, (_, index) => ({
      slug: `${index}`.padEnd(200, character),
      text: character.repeat(180),
    }));
    for (const text of [payload(long), payload(long, ...short), payload({ slug: 'kept' }, ...short)]) {
      const models = readModels(text);
      if (!models) continue;
      const events = decide({ type: 'ObserveModels', planType: 'plus', models }, initialState);
      expect(jsonBytes(events)).toBeLessThan(MAX_RECORDED_BYTES);
    }
  });
});

test('leaves out a model that is too large to record, and keeps the others', () => {
  const text = payload(
    { slug: 'a' },
    { slug: 'b', text: '"'.repeat(300_000) },
    { slug: 'c', text: 'x'.repeat(300_000) },
  );
  expect(readModels(text)?.map(({ slug }) => slug)).toEqual(['a', 'c']);
});

test('leaves out a model whose name is too long as it is stored', () => {
  const text = payload({ slug: 'a'.repeat(200) }, { slug: 'a'.repeat(201) }, { slug: '中'.repeat(67) });
  expect(readModels(text)?.map(({ slug }) => slug)).toEqual(['a'.repeat(200)]);
});
