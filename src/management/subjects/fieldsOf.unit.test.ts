import { expect, test } from 'vitest';
import { fieldsOf } from './fieldsOf.ts';

test.each([
  ['names nested fields', { a: { b: 1 }, c: null }, { '/a/b': 1, '/c': null }],
  ['names items of a list by their id', { rules: [{ id: 7, max: 1 }] }, { '/rules/7/id': 7, '/rules/7/max': 1 }],
  ['takes a list of plain values as one field', { models: ['a', 'b'] }, { '/models': ['a', 'b'] }],
  ['takes a list whose ids repeat as one field', { l: [{ id: 1 }, { id: 1 }] }, { '/l': [{ id: 1 }, { id: 1 }] }],
  ['keeps empty objects and lists', { a: {}, b: [] }, { '/a': {}, '/b': [] }],
  ['escapes slashes and tildes in names', { 'a/b~': 1 }, { '/a~1b~0': 1 }],
])('%s', (_what, state, fields) => expect(Object.fromEntries(fieldsOf(state))).toEqual(fields));
