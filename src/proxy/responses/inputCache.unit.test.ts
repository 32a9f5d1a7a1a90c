import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonContainerScanner } from '../requestBody/jsonContainerScanner.ts';
import { InputCache } from './inputCache.ts';
import { scanInputItems } from './scanInputItems.ts';

const options = { maxBytes: 200_000, maxEntryBytes: 100_000, maxKeys: 10, maxEntriesPerKey: 4 };
const inputs = new InputCache(options);

/** Says how many items were already known. */
function known(known: InputCache, items: readonly unknown[]): number {
  const raw = Buffer.from(`${JSON.stringify(items)},`);
  const count = known.find('hint', raw, 0)?.itemCount ?? 0;
  scanInputItems(raw, 0, new JsonContainerScanner(raw), known, 'hint');
  return count;
}

const item = (text: number | string) => ({ role: 'user', content: `${text}` });

test('an input is known up to the item where it parts from an earlier one', () => {
  const items = Array.from({ length: 20 }, (_, index) => item(index));
  for (let kept = 0; kept <= items.length; kept++) {
    const known_ = new InputCache(options);
    expect(known(known_, items)).toBe(0);
    expect(known(known_, [...items.slice(0, kept), item('new')])).toBe(kept);
    expect(known(known_, items.slice(0, kept))).toBe(kept);
  }
});

test('an item that goes on where a known one ended is not known', () => {
  const known_ = new InputCache(options);
  known(known_, [{ a: 1 }]);
  expect(known(known_, [{ a: 1, b: 2 }])).toBe(0);
  expect(known(known_, [{ a: 12 }])).toBe(0);
});

test('of several known inputs the one with most items in common counts', () =>
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(2), { maxLength: 6 }), { minLength: 1, maxLength: 4 }), (histories) => {
      const known_ = new InputCache(options);
      const seen: number[][] = [];
      for (const history of histories) {
        const common = (other: readonly number[]) => {
          const parted = history.findIndex((text, index) => text !== other[index]);
          return parted < 0 ? history.length : parted;
        };
        expect(known(known_, history.map(item))).toBe(Math.max(0, ...seen.map(common)));
        seen.push(history);
      }
    }),
  ));

test('a conversation may grow until it is too long to be kept', () => {
  const history: unknown[] = [];
  for (let turn = 0; turn < 400; turn++) {
    history.push(item(`${turn} `.repeat(100)));
    known(inputs, history);
    expect(inputs.size).toBeLessThanOrEqual(options.maxBytes);
  }
  expect(known(inputs, history)).toBeGreaterThan(100);
});
