import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { firstMessageText } from './firstMessage.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .tuple(fc.constantFrom('a', '"', '😀', '\ud83d', 'é\n'), fc.integer({ min: 1_000, max: 2_100 }))
    .map(([unit, count]) => unit.repeat(count)),
);
const message = fc.dictionary(
  fc.constantFrom('role', 'content', '__proto__', '1', 'type'),
  fc.oneof(text, fc.array(fc.record({ text })), fc.jsonValue()),
);

test('gives the beginning of the whole JSON of a message', () => {
  fc.assert(
    fc.property(message, (given) => {
      const parsed = JSON.parse(JSON.stringify(given));
      expect(firstMessageText([parsed])).toBe(JSON.stringify(parsed).slice(0, 2_048));
    }),
    runs(100),
  );
});
