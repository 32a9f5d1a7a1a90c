import { test } from 'vitest';
import { specification } from '../../../test/support/specification.ts';
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
