import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyObject } from '../../../test/support/jsonOfShape.ts';
import { runs } from '../../../test/support/runs.ts';
import { createItemCounter } from './itemCounter.ts';
import { jsonShapeOf } from './jsonShape.ts';

const shape = jsonShapeOf((z) =>
  z.object({
    startedAt: z.int(),
    cost: z.int(),
    tag: z.string().optional(),
    attempts: z.array(z.object({ v: z.int(), code: z.string().optional(), startedAt: z.int() })),
    refusal: z.object({ v: z.int(), code: z.string() }).optional(),
  }),
);

test('counts the items of a list, whatever the texts contain', () => {
  const count = createItemCounter(shape, 'attempts', 'cost');
  fc.assert(
    fc.property(anyObject(shape), (data) => {
      const json = JSON.stringify(data);
      expect(count(json, json.indexOf('"cost":'))).toBe((data.attempts as unknown[]).length);
    }),
    runs(500),
  );
});

test('finds no list where there is none', () => {
  expect(createItemCounter(shape, 'attempts', 'cost')('{"startedAt":1,"cost":1}', 0)).toBeUndefined();
});

test('rejects a list whose items have no unique field name', () => {
  const ambiguous = jsonShapeOf((z) => z.object({ a: z.array(z.object({ v: z.int() })), b: z.object({ v: z.int() }) }));
  expect(() => createItemCounter(ambiguous, 'a', 'nothing')).toThrow('No field name occurs only in items of "a"');
  expect(() => createItemCounter(shape, 'cost', 'startedAt')).toThrow('no list of objects "cost"');
});
