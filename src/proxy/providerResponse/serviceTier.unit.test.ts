import { expect, test } from 'vitest';
import { findServedTier, parseServiceTier } from './serviceTier.ts';

test.each([
  ['priority', 'priority'],
  ['Flex', 'flex'],
  ['auto', null],
  ['default', null],
  ['', null],
  [undefined, null],
  [null, null],
  [7, null],
  ['two words', null],
  ['x'.repeat(65), null],
])('parses the tier %j as %j', (value, tier) => expect(parseServiceTier(value)).toBe(tier));

const completed = (fields: object) => JSON.stringify({ type: 'response.completed', response: fields });

test('finds the served tier in the terminal event', () => {
  expect(findServedTier(completed({ service_tier: 'flex', usage: {} }))).toBe('flex');
  expect(findServedTier(completed({ service_tier: 'default' }))).toBeNull();
  expect(findServedTier('{"response": {"service_tier": "priority"}}')).toBe('priority');
});

test.each([completed({}), completed({ service_tier: null }), completed({ service_tier: 3 }), ''])(
  'finds no tier in %j',
  (data) => expect(findServedTier(data)).toBeUndefined(),
);

test('ignores a tier in a text', () =>
  expect(findServedTier(completed({ output: [{ text: '"service_tier":"priority"' }] }))).toBeUndefined());
