import { expect, test } from 'vitest';
import { findUnknown } from './findUnknown.ts';

const query = new URLSearchParams('key=a&edit=b&search=c');

test('finds the first parameter whose id names nothing', () => {
  expect(findUnknown(query, ['key', 'edit'], ['a'])).toEqual({ name: 'edit', id: 'b' });
  expect(findUnknown(query, ['key', 'edit'], [])).toEqual({ name: 'key', id: 'a' });
  expect(findUnknown(query, ['key', 'edit', 'team'], ['a', 'b'])).toBeUndefined();
});

test('finds nothing before the ids are loaded', () => expect(findUnknown(query, ['key'], undefined)).toBeUndefined());
