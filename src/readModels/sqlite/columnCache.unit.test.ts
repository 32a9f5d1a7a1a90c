import { expect, test } from 'vitest';
import { ColumnCache } from './columnCache.ts';

function cacheOf(columns: number) {
  const cache = new ColumnCache(columns * 40);
  const reads: number[] = [];
  const get = (id: number) =>
    cache.get(id, () => {
      reads.push(id);
      return new Uint32Array(10);
    });
  return { cache, get, reads };
}

test('removes what was used least recently, and never exceeds its bytes', () => {
  const { cache, get, reads } = cacheOf(2);
  for (const id of [1, 2, 1, 3, 1, 2]) {
    cache.beginQuery();
    get(id);
    expect(cache.bytes).toBeLessThanOrEqual(80);
  }
  expect(reads).toEqual([1, 2, 3, 2]);
});

test('keeps what a query over too many columns read first', () => {
  const { cache, get, reads } = cacheOf(2);
  for (let query = 0; query < 3; query++) {
    cache.beginQuery();
    for (const id of [1, 2, 3, 4]) get(id);
  }
  expect(reads).toEqual([1, 2, 3, 4, 3, 4, 3, 4]);
});

test('reads a column again after it was deleted', () => {
  const { cache, get, reads } = cacheOf(2);
  get(1);
  cache.delete(1);
  cache.delete(7);
  expect(cache.bytes).toBe(0);
  get(1);
  expect(reads).toEqual([1, 1]);
});
