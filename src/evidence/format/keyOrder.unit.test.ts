import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../domain/core/redact.ts';
import { canonicalize, parseJsonValue } from './canonicalJson.ts';
import { keyOrderOf, restoreKeyOrder } from './keyOrder.ts';

test('restores the stored text of any JSON from its canonical form and its key order', () =>
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const stored = JSON.stringify(value);
      const parsed = parseJsonValue(stored) as Json;
      const canonical = parseJsonValue(canonicalize(parsed)) as Json;
      // Keys that look like integers have one order in ECMAScript, whatever the text says.
      expect(restoreKeyOrder(canonical, keyOrderOf(parsed))).toBe(JSON.stringify(parsed));
    }),
  ));

test.each([
  ['{"b":1,"a":{"d":[{"z":1,"y":2}],"c":2}}', '1,0;1,0;1,0'],
  ['{"a":1,"b":2}', '0,1'],
  ['{"a":{}}', ''],
  ['{"__proto__":1,"a":2}', '0,1'],
])('describes the order of the keys of %s', (stored, order) => {
  const value = parseJsonValue(stored) as Json;
  expect(keyOrderOf(value)).toBe(order);
  expect(restoreKeyOrder(parseJsonValue(canonicalize(value)) as Json, order)).toBe(stored);
});

test.each(['', '0', '0,0', '1,0;0,1', '1, 0', '1,2', '-1,0', '01,0', 'x'])(
  'refuses the order %j of other keys',
  (order) => expect(restoreKeyOrder({ a: 1, b: 2 }, order)).toBeUndefined(),
);
