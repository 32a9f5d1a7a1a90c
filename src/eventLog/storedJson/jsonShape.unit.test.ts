import { expect, test } from 'vitest';
import { z } from 'zod';
import { schema } from '../../domain/core/schema.ts';
import { RequestCompleted } from '../../domain/request/events.ts';
import { jsonShapeOf } from './jsonShape.ts';

test('records the fields of a schema in their order', () => {
  const nested = schema((make) => make.object({ flag: make.boolean(), always: make.literal(true) }));
  const example = schema((make) =>
    make.object({
      id: make.uuid(),
      name: make.string().min(1).nullable(),
      count: make.int().min(0).optional(),
      pairs: make.array(make.tuple([make.string(), make.int()])),
      nested: nested(make).optional(),
    }),
  );
  expect(jsonShapeOf(example).fields).toEqual([
    { name: 'id', shape: { kind: 'text', minLength: 36, format: 'uuid' }, isOptional: false },
    { name: 'name', shape: { kind: 'nullable', inner: { kind: 'text', minLength: 1 } }, isOptional: false },
    { name: 'count', shape: { kind: 'integer', min: 0 }, isOptional: true },
    {
      name: 'pairs',
      shape: {
        kind: 'list',
        item: {
          kind: 'tuple',
          items: [
            { kind: 'text', minLength: 0 },
            { kind: 'integer', min: undefined },
          ],
        },
      },
      isOptional: false,
    },
    {
      name: 'nested',
      shape: {
        kind: 'object',
        fields: [
          { name: 'flag', shape: { kind: 'boolean' }, isOptional: false },
          { name: 'always', shape: { kind: 'literal', value: true }, isOptional: false },
        ],
      },
      isOptional: true,
    },
  ]);
});

test('records schemas that are made from the fields of others', () => {
  const first = schema((make) => make.object({ a: make.int(), b: make.boolean() }));
  const namesOf = (example: Parameters<typeof jsonShapeOf>[0]) => jsonShapeOf(example).fields.map(({ name }) => name);
  expect(namesOf((make) => first(make).extend({ c: make.string() }))).toEqual(['a', 'b', 'c']);
  expect(namesOf((make) => make.object({ c: make.string(), ...first(make).shape }))).toEqual(['c', 'a', 'b']);
});

test('leaves the schema that zod builds unchanged', () => {
  const before = RequestCompleted.data(z);
  jsonShapeOf(RequestCompleted.data as never);
  expect(RequestCompleted.data(z)).toBe(before);
});

test('rejects a schema with a function that it does not know', () => {
  expect(() => jsonShapeOf((make) => make.object({ counts: make.map(make.string(), make.int()) }))).toThrow('"map"');
  expect(() => jsonShapeOf((make) => make.object({ name: make.string().trim() }))).toThrow('"trim"');
});
