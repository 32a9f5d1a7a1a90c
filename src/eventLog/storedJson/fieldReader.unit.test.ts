import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyObject } from '../../../test/support/jsonOfShape.ts';
import { runs } from '../../../test/support/runs.ts';
import { createFieldReader, type FieldReaderOptions } from './fieldReader.ts';
import { jsonShapeOf } from './jsonShape.ts';

const shape = jsonShapeOf((z) =>
  z.object({
    id: z.string(),
    name: z.string().nullable(),
    place: z.string(),
    options: z.object({ depth: z.int().optional(), label: z.string().optional() }).optional(),
    size: z.object({ width: z.int(), height: z.int() }).nullable(),
    items: z.array(z.object({ at: z.int(), note: z.string().optional() })),
    isDone: z.boolean().optional(),
  }),
);
const read = (options: FieldReaderOptions, data: unknown) =>
  createFieldReader(shape, options)(JSON.stringify(data))?.slice(1) ?? null;

const data = { id: 'a', name: 'b', place: 'c', size: { width: 1, height: 20 }, items: [{ at: 3 }, { at: 4 }] };
const captures = ['id', 'name', 'size.height', 'isDone'];

test('captures fields at any depth, undefined for those that are null or absent', () => {
  expect(read({ captures }, { ...data, isDone: false })).toEqual(['a', 'b', '20', 'false']);
  expect(read({ captures }, { ...data, name: null, size: null })).toEqual(['a', undefined, undefined, undefined]);
});

test('captures neighbouring fields as JSON', () => {
  expect(read({ captures: [['name', 'place'], 'size.width'] }, data)).toEqual(['"name":"b","place":"c"', '1']);
});

test('reads objects whose fields are all optional', () => {
  for (const options of [{}, { depth: 1 }, { label: 'x' }, { depth: 1, label: 'x' }]) {
    const { id, name, place, ...others } = data;
    expect(read({ captures: ['id'] }, { id, name, place, options, ...others })).toEqual(['a']);
  }
});

test('leaves JSON with a rare field to the parser', () => {
  const options = { captures, rare: ['items.note', 'isDone'] };
  const without = { ...options, captures: ['id'] };
  expect(read(without, data)).toEqual(['a']);
  expect(read(without, { ...data, isDone: true })).toBeNull();
  expect(read(without, { ...data, items: [{ at: 3, note: 'x' }] })).toBeNull();
});

test('leaves JSON with another value of a text to the parser', () => {
  const options = { captures: ['id'], values: { name: [data.name, 'a.*'] } };
  expect(read(options, data)).toEqual(['a']);
  expect(read(options, { ...data, name: 'a.*' })).toEqual(['a']);
  for (const name of ['other', 'ab', `${data.name} `, '']) expect(read(options, { ...data, name })).toBeNull();
});

test('leaves escapes to the parser, except where they are allowed', () => {
  const escaped = { ...data, place: 'a "place"' };
  expect(read({ captures: ['id'] }, escaped)).toBeNull();
  expect(read({ captures: ['id'], allowsEscapes: true }, escaped)).toEqual(['a']);
  expect(read({ captures: ['place'], allowsEscapes: true }, escaped)).toBeNull();
});

test('reads no further than the field it ends with', () => {
  const options = { captures: ['id'], endsWith: 'place' };
  expect(read(options, { ...data, size: 'anything' })).toEqual(['a']);
});

test('leaves fields in another order, missing ones and unknown ones to the parser', () => {
  const { id, place, ...others } = data;
  expect(read({ captures: ['id'] }, { place, id, ...others })).toBeNull();
  expect(read({ captures: ['id'] }, { id, ...others })).toBeNull();
  expect(read({ captures: ['id'] }, { ...data, other: 1 })).toBeNull();
});

test.each<[problem: string, options: FieldReaderOptions, message: string]>([
  ['a field that does not exist', { captures: ['nothing'] }, 'requested nothing; found'],
  ['captures in another order', { captures: ['name', 'id'] }, 'requested name, id; found id, name'],
  ['a capture within a list', { captures: ['items.at'] }, 'Items of the list "items"'],
  ['a rare field that is required', { captures: ['id'], rare: ['name'] }, 'no optional field "name"'],
  ['a rare field that does not exist', { captures: ['id'], rare: ['nothing'] }, 'no optional field "nothing"'],
  ['values of a field that is no text', { captures: ['id'], values: { isDone: ['a'] } }, 'no text "isDone"'],
  ['an end that does not exist', { captures: ['id'], endsWith: 'nothing' }, 'no field "nothing"'],
])('rejects %s', (_problem, options, message) => {
  expect(() => createFieldReader(shape, options)).toThrow(message);
});

test('reads from random objects what parsing reads', () => {
  const [strict, lenient] = [false, true].map((allowsEscapes) =>
    createFieldReader(shape, { captures: ['id', ['name', 'place'], 'size.width', 'isDone'], allowsEscapes }),
  );
  let matched = 0;
  fc.assert(
    fc.property(anyObject(shape), (random) => {
      const json = JSON.stringify(random);
      const { id, name, place, size, isDone } = random as typeof data & { isDone?: boolean };
      for (const reader of [strict, lenient]) {
        const parts = reader?.(json);
        if (!parts) continue;
        matched++;
        const [, foundId, pair, width, done] = parts;
        expect([foundId, width, done]).toEqual([id, size?.width.toString(), isDone?.toString()]);
        expect(JSON.parse(`{${pair}}`)).toEqual({ name, place });
      }
    }),
    runs(1_000),
  );
  expect(matched).toBeGreaterThan(100);
});
