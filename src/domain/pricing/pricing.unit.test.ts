import { expect, test } from 'vitest';
import { specification } from '../../../test/support/specification.ts';
import { jsonBytes } from '../core/parts.ts';
import { pricing } from './decide.ts';
import { PricesPublished } from './events.ts';

const prices = specification(pricing);
const models = [{ model: 'gpt-5*', input: 1, cachedInput: 0.1, output: 10 }];
const first = PricesPublished({ from: null, to: 'v1', models });
const publish = (version: string) => ({ type: 'PublishPrices', table: { version, models } }) as const;

test('the first prices have no predecessor', () => prices.when(publish('v1')).then(first));

test('does not publish unchanged prices', () => prices.given(first).when(publish('v1')).then());

test('new prices name their predecessor', () =>
  prices
    .given(first)
    .when(publish('v2'))
    .then(PricesPublished({ from: 'v1', to: 'v2', models })));

test('publishes a table that is larger than an event in parts', () => {
  const table = Array.from({ length: 1_000 }, (_, index) => ({
    model: `model-${index}`.padEnd(190, 'x'),
    input: 1,
    cachedInput: 0.1,
    output: 10,
  }));
  const published = prices.given(first).when({ type: 'PublishPrices', table: { version: 'v2', models: table } });
  expect(published.events().length).toBeGreaterThan(3);
  for (const event of published.events()) expect(jsonBytes(event)).toBeLessThan(50_000);
  expect(published.state()).toEqual({ version: 'v2', models: table });
});
