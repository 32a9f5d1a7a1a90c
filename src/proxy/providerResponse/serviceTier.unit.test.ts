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
])('a client that asks for the tier %j gets %j', (asked, tier) => expect(parseServiceTier(asked)).toBe(tier));

const completed = (fields: object) => JSON.stringify({ type: 'response.completed', response: fields });

test('the tier that was served is found in the event that ends the answer', () => {
  expect(findServedTier(completed({ service_tier: 'flex', usage: {} }))).toBe('flex');
  expect(findServedTier(completed({ service_tier: 'default' }))).toBeNull();
  expect(findServedTier('{"response": {"service_tier": "priority"}}')).toBe('priority');
});

test.each([completed({}), completed({ service_tier: null }), completed({ service_tier: 3 }), ''])(
  'an answer that does not say, %j, tells no tier',
  (data) => expect(findServedTier(data)).toBeUndefined(),
);

test('what stands in a text is no tier', () =>
  expect(findServedTier(completed({ output: [{ text: '"service_tier":"priority"' }] }))).toBeUndefined());
