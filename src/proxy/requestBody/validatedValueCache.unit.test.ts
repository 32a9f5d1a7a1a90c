import { expect, test } from 'vitest';
import { ValidatedValueCache } from './validatedValueCache.ts';

const options = { maxBytes: 10_000, maxEntryBytes: 5_000, maxKeys: 3, maxEntriesPerKey: 2 };
const inBody = (text: string): [Buffer, number] => [Buffer.from(`${text},`), 0];

function cacheWith(...texts: string[]): ValidatedValueCache {
  const cache = new ValidatedValueCache(options);
  for (const text of texts) remember(cache, 'key', text);
  return cache;
}

function remember(cache: ValidatedValueCache, key: string, text: string): void {
  cache.remember(key, 'name', Buffer.from(text), 0, text.length, text);
}

test('finds a value only by its key and name', () => {
  const cache = cacheWith('{"a":1}');
  expect(cache.find('key', 'name', ...inBody('{"a":1}'))?.extracted).toBe('{"a":1}');
  expect(cache.find('other', 'name', ...inBody('{"a":1}'))).toBeUndefined();
  expect(cache.find('key', 'other', ...inBody('{"a":1}'))).toBeUndefined();
});

test('does not find a value when any byte differs or when it is truncated', () => {
  const value = JSON.stringify({ a: 'x'.repeat(200) });
  const cache = cacheWith(value);
  for (let at = 0; at < value.length; at++) {
    expect(cache.find('key', 'name', ...inBody(`${value.slice(0, at)}?${value.slice(at + 1)}`))).toBeUndefined();
    expect(cache.find('key', 'name', Buffer.from(value.slice(0, at)), 0)).toBeUndefined();
  }
});

test('replaces the least recently used value of a key', () => {
  const cache = cacheWith('[1]', '[2]');
  cache.find('key', 'name', ...inBody('[1]'));
  remember(cache, 'key', '[3]');
  expect(cache.size).toBe(cacheWith('[1]', '[3]').size);
  expect(['[1]', '[2]', '[3]'].filter((text) => cache.find('key', 'name', ...inBody(text)))).toEqual(['[1]', '[3]']);
});

test('evicts keys that were not read recently', () => {
  const cache = new ValidatedValueCache(options);
  for (let key = 0; key < 20; key++) {
    remember(cache, `key ${key}`, '[1]');
    expect(cache.find('key 0', 'name', ...inBody('[1]'))).toBeDefined();
  }
  const kept = Array.from({ length: 20 }, (_, key) => key).filter((key) =>
    cache.find(`key ${key}`, 'name', ...inBody('[1]')),
  );
  expect(kept).toHaveLength(3);
  expect(kept).toEqual(expect.arrayContaining([0, 19]));
});

test('limits its memory, and rejects a value that is too large', () => {
  const cache = new ValidatedValueCache({ ...options, maxKeys: 1_000 });
  for (let key = 0; key < 100; key++) {
    remember(cache, `key ${key}`, `"${'x'.repeat(key * 30)}"`);
    expect(cache.size).toBeLessThanOrEqual(10_000);
  }
  const before = cache.size;
  remember(cache, 'huge', `"${'x'.repeat(9_000)}"`);
  expect(cache.size).toBe(before);
});

test('stores a copy of the value', () => {
  const request = Buffer.from(' [1] ');
  const cache = new ValidatedValueCache(options);
  cache.remember('key', 'name', request, 1, 4, undefined);
  request.fill(0x20);
  const found = cache.find('key', 'name', ...inBody('[1]'));
  expect(found?.bytes.toString()).toBe('[1]');
  expect(found?.bytes.buffer.byteLength).toBe(3);
});
