import { expect, test } from 'vitest';
import { RecentItems } from './recentItems.ts';

test('recalls an item by its id for the client that received it', () => {
  const items = new RecentItems();
  items.remember('a', [{ id: 'msg_1', type: 'message' }]);
  expect(items.recall('a', 'msg_1')).toEqual({ id: 'msg_1', type: 'message' });
  expect(items.recall('b', 'msg_1')).toBeUndefined();
});

test('recalls reasoning only with its encrypted content', () => {
  const items = new RecentItems();
  items.remember('a', [
    { id: 'rs_1', type: 'reasoning', summary: [] },
    { id: 'rs_2', type: 'reasoning', encrypted_content: 'x' },
  ]);
  expect(items.recall('a', 'rs_1')).toBeUndefined();
  expect(items.recall('a', 'rs_2')).toBeDefined();
});

test('evicts the oldest items first', () => {
  const items = new RecentItems();
  for (let index = 0; index < 2_001; index++) items.remember('a', [{ id: `i${index}` }]);
  expect(items.recall('a', 'i0')).toBeUndefined();
  expect(items.recall('a', 'i1')).toBeDefined();
});

test('bounds the total size of large items', () => {
  const items = new RecentItems();
  for (let index = 0; index < 20; index++) items.remember('a', [{ id: `i${index}`, text: 'x'.repeat(1_000_000) }]);
  expect(items.recall('a', 'i0')).toBeUndefined();
  expect(items.recall('a', 'i19')).toBeDefined();
});

test('ignores items without a string id', () => {
  const items = new RecentItems();
  items.remember('a', [null, 'text', {}, { id: 5 }]);
  expect(items.recall('a', '5')).toBeUndefined();
});
