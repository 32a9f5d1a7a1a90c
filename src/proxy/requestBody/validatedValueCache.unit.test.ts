import { expect, test } from 'vitest';
import { ValidatedValueCache } from './validatedValueCache.ts';

const options = { maxBytes: 10_000, maxEntryBytes: 5_000, maxKeys: 3, maxEntriesPerKey: 2 };
const whole = (text: string): [Buffer, number] => [Buffer.from(`${text},`), 0];

function remembering(...texts: string[]): ValidatedValueCache {
  const known = new ValidatedValueCache(options);
  for (const text of texts) remember(known, 'key', text);
  return known;
}

function remember(known: ValidatedValueCache, key: string, text: string): void {
  known.remember(key, 'name', Buffer.from(text), 0, text.length, text);
}

test('a value is known under its key and name only', () => {
  const known = remembering('{"a":1}');
  expect(known.find('key', 'name', ...whole('{"a":1}'))?.extracted).toBe('{"a":1}');
  expect(known.find('other', 'name', ...whole('{"a":1}'))).toBeUndefined();
  expect(known.find('key', 'other', ...whole('{"a":1}'))).toBeUndefined();
});

test('a value is not known when any byte differs or when it is cut off', () => {
  const value = JSON.stringify({ a: 'x'.repeat(200) });
  const known = remembering(value);
  for (let at = 0; at < value.length; at++) {
    expect(known.find('key', 'name', ...whole(`${value.slice(0, at)}?${value.slice(at + 1)}`))).toBeUndefined();
    expect(known.find('key', 'name', Buffer.from(value.slice(0, at)), 0)).toBeUndefined();
  }
});

test('of more values than a key may have the one that was not used for longest goes', () => {
  const known = remembering('[1]', '[2]');
  known.find('key', 'name', ...whole('[1]'));
  remember(known, 'key', '[3]');
  expect(known.size).toBe(remembering('[1]', '[3]').size);
  expect(['[1]', '[2]', '[3]'].filter((text) => known.find('key', 'name', ...whole(text)))).toEqual(['[1]', '[3]']);
});

test('of more keys than there may be those go that nobody asked for', () => {
  const known = new ValidatedValueCache(options);
  for (let key = 0; key < 20; key++) {
    remember(known, `key ${key}`, '[1]');
    expect(known.find('key 0', 'name', ...whole('[1]'))).toBeDefined();
  }
  const kept = Array.from({ length: 20 }, (_, key) => key).filter((key) =>
    known.find(`key ${key}`, 'name', ...whole('[1]')),
  );
  expect(kept).toHaveLength(3);
  expect(kept).toEqual(expect.arrayContaining([0, 19]));
});

test('memory is bounded, and a value that would fill it is not taken', () => {
  const known = new ValidatedValueCache({ ...options, maxKeys: 1_000 });
  for (let key = 0; key < 100; key++) {
    remember(known, `key ${key}`, `"${'x'.repeat(key * 30)}"`);
    expect(known.size).toBeLessThanOrEqual(10_000);
  }
  const before = known.size;
  remember(known, 'huge', `"${'x'.repeat(9_000)}"`);
  expect(known.size).toBe(before);
});

test('a value is a copy of its own', () => {
  const request = Buffer.from(' [1] ');
  const known = new ValidatedValueCache(options);
  known.remember('key', 'name', request, 1, 4, undefined);
  request.fill(0x20);
  const found = known.find('key', 'name', ...whole('[1]'));
  expect(found?.bytes.toString()).toBe('[1]');
  expect(found?.bytes.buffer.byteLength).toBe(3);
});
