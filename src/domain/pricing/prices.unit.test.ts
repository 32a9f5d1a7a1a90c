import { expect, test } from 'vitest';
import { z } from 'zod';
import { builtInPrices } from './builtInPrices.ts';
import { findPrice, mergedPrices, modelPriceSchema, type PriceTable } from './prices.ts';

const price = (model: string, input: number) => ({ model, input, cachedInput: 0, output: 0 });
const table: PriceTable = {
  version: 'test',
  models: [
    price('gpt-5*', 1),
    price('gpt-5.4*', 2),
    price('gpt-5.4-mini*', 3),
    price('gpt-5.4-mini-exact', 4),
    price('o*', 5),
  ],
};

test.each([
  ['gpt-5', 1],
  ['gpt-5-codex', 1],
  ['gpt-5.4', 2],
  ['gpt-5.4-pro', 2],
  ['gpt-5.4-mini', 3],
  ['gpt-5.4-mini-2026-03-01', 3],
  ['gpt-5.4-mini-exact', 4],
  ['GPT-5.4-Mini', 3],
])('the longest entry that matches %s wins', (model, input) => expect(findPrice(table, model)?.input).toBe(input));

test('prefers the longest matching entry', () => {
  const reversed = { ...table, models: table.models.toReversed() };
  for (const model of ['gpt-5', 'gpt-5.4', 'gpt-5.4-mini', 'gpt-5.4-mini-exact', 'gpt-5.4-pro']) {
    expect(findPrice(reversed, model)).toEqual(findPrice(table, model));
  }
});

test('matches only the exact name without a star', () =>
  expect(findPrice({ models: [price('gpt-5', 1)] }, 'gpt-5.1')).toBeUndefined());

test.each(['', 'claude', 'gpt-4.1', 'my-gpt-5'])('%j has no price', (model) => {
  expect(findPrice({ models: builtInPrices }, model)).toBeUndefined();
});

test.each([
  ['gpt-5.1-codex', 1.25],
  ['gpt-5.1-codex-mini', 0.25],
  ['gpt-5.2-codex', 1.75],
  ['gpt-5.4-nano', 0.2],
  ['gpt-5.5-pro-2026', 30],
])('the built-in table prices %s', (model, input) =>
  expect(findPrice({ models: builtInPrices }, model)?.input).toBe(input),
);

test('lists no built-in entry twice, and no cached token above the input price', () => {
  expect(new Set(builtInPrices.map(({ model }) => model)).size).toBe(builtInPrices.length);
  for (const { input, cachedInput } of builtInPrices) expect(cachedInput).toBeLessThanOrEqual(input);
});

test('every built-in price is valid in a price file', () => {
  for (const listed of builtInPrices) expect(modelPriceSchema(z).parse(listed)).toEqual(listed);
});

test('the transcription model has no price', () =>
  expect(findPrice({ models: builtInPrices }, 'gpt-4o-transcribe')).toBeUndefined());

test('overrides entries of the same name in any case, and adds the others', () => {
  const merged = mergedPrices(table.models, [price('GPT-5.4*', 7), price('claude*', 8)]);
  expect(findPrice({ models: merged }, 'gpt-5.4')?.input).toBe(7);
  expect(findPrice({ models: merged }, 'gpt-5.4-mini')?.input).toBe(3);
  expect(findPrice({ models: merged }, 'claude-x')?.input).toBe(8);
  expect(merged).toHaveLength(table.models.length + 1);
});
