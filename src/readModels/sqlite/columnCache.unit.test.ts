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

test('removes what belongs to the earliest requests, and never exceeds its bytes', () => {
  const { cache, get, reads } = cacheOf(2);
  for (const id of [2, 1, 2, 3, 2, 1, 3]) {
    cache.beginQuery();
    get(id);
    expect(cache.bytes).toBeLessThanOrEqual(80);
  }
  expect(reads).toEqual([2, 1, 3, 1]);
});

test('keeps what a query over too many columns read first', () => {
  const { cache, get, reads } = cacheOf(2);
  for (let query = 0; query < 3; query++) {
    cache.beginQuery();
    for (const id of [4, 3, 2, 1]) get(id);
  }
  expect(reads).toEqual([4, 3, 2, 1, 2, 1, 2, 1]);
});

test('does not remove what the query is about to need for one more column of later requests', () => {
  const { cache, get, reads } = cacheOf(4);
  for (const ids of [
    [8, 6, 4, 2],
    [8, 7, 6, 4, 2],
  ]) {
    cache.beginQuery();
    ids.forEach(get);
  }
  expect(reads).toEqual([8, 6, 4, 2, 7, 2]);
});

test('removes first what no query has needed for a while', () => {
  const { cache, get, reads } = cacheOf(2);
  cache.beginQuery();
  [9, 1].forEach(get);
  for (let query = 0; query < 40; query++) {
    cache.beginQuery();
    get(1);
  }
  get(2);
  cache.beginQuery();
  [1, 2].forEach(get);
  expect(reads).toEqual([9, 1, 2]);
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
