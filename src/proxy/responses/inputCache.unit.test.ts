import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonContainerScanner } from '../requestBody/jsonContainerScanner.ts';
import { InputCache } from './inputCache.ts';
import { scanInputItems } from './scanInputItems.ts';

const options = { maxBytes: 200_000, maxEntryBytes: 100_000, maxKeys: 10, maxEntriesPerKey: 4 };
const inputs = new InputCache(options);

/** Reads an input and returns how many of its items were found in the cache. */
function cachedItems(cache: InputCache, items: readonly unknown[]): number {
  const raw = Buffer.from(`${JSON.stringify(items)},`);
  const count = cache.find('hint', raw, 0)?.itemCount ?? 0;
  scanInputItems(raw, 0, new JsonContainerScanner(raw), cache, 'hint');
  return count;
}

const item = (text: number | string) => ({ role: 'user', content: `${text}` });

test('finds the items that an input has in common with an earlier one', () => {
  const items = Array.from({ length: 20 }, (_, index) => item(index));
  for (let kept = 0; kept <= items.length; kept++) {
    const cache = new InputCache(options);
    expect(cachedItems(cache, items)).toBe(0);
    expect(cachedItems(cache, [...items.slice(0, kept), item('new')])).toBe(kept);
    expect(cachedItems(cache, items.slice(0, kept))).toBe(kept);
  }
});

test('does not find an item that continues where a cached one ends', () => {
  const cache = new InputCache(options);
  cachedItems(cache, [{ a: 1 }]);
  expect(cachedItems(cache, [{ a: 1, b: 2 }])).toBe(0);
  expect(cachedItems(cache, [{ a: 12 }])).toBe(0);
});

test('finds the longest prefix among several cached inputs', () =>
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(2), { maxLength: 6 }), { minLength: 1, maxLength: 4 }), (histories) => {
      const cache = new InputCache(options);
      const seen: number[][] = [];
      for (const history of histories) {
        const common = (other: readonly number[]) => {
          const different = history.findIndex((text, index) => text !== other[index]);
          return different < 0 ? history.length : different;
        };
        expect(cachedItems(cache, history.map(item))).toBe(Math.max(0, ...seen.map(common)));
        seen.push(history);
      }
    }),
  ));

test('extends a growing conversation until it is too long for the cache', () => {
  const history: unknown[] = [];
  for (let turn = 0; turn < 400; turn++) {
    history.push(item(`${turn} `.repeat(100)));
    cachedItems(inputs, history);
    expect(inputs.size).toBeLessThanOrEqual(options.maxBytes);
  }
  expect(cachedItems(inputs, history)).toBeGreaterThan(100);
});
