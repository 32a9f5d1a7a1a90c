import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { type Position, position } from '../../domain/core/brands.ts';
import { Postings } from './postings.ts';

function postings(): Postings {
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  return new Postings(database);
}

const LABELS = [7, 2 ** 48 - 1];
const TYPES = [1, 300];
const ALL = LABELS.flatMap((label) => TYPES.map((type) => ({ label, type })));

/** Distances of positions: within a block, across its end, across several blocks. */
const steps = fc.array(
  fc.record({
    by: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1_000, max: 5_000 })),
    list: fc.nat(3),
    flush: fc.boolean(),
  }),
  { maxLength: 60 },
);

test('returns the positions that were added, for any division into batches', () =>
  fc.assert(
    fc.property(
      steps,
      fc.nat(100_000),
      fc.nat(100_000),
      fc.integer({ min: 1, max: 20 }),
      (taken, after, upTo, limit) => {
        const store = postings();
        const added: { list: number; at: Position }[] = [];
        let at = 0;
        for (const { by, list, flush } of taken) {
          at += by;
          const { label, type } = ALL[list] as (typeof ALL)[number];
          store.add(label, type, position(at));
          added.push({ list, at: position(at) });
          if (flush) store.flush();
        }
        store.flush();
        const expected = (lists: readonly number[]) =>
          added
            .filter((entry) => lists.includes(entry.list) && entry.at > after && entry.at <= upTo)
            .map((entry) => entry.at)
            .reverse()
            .slice(0, limit);
        for (const lists of [[0], [1, 3], [0, 1, 2, 3]]) {
          const wanted = lists.map((list) => ALL[list] as (typeof ALL)[number]);
          expect(store.last(wanted, after, upTo, limit)).toEqual(expected(lists));
        }
      },
    ),
  ));

test('discards the positions of a batch that was rolled back', () => {
  const store = postings();
  store.add(1, 1, position(5));
  store.clear();
  store.add(1, 1, position(6));
  store.flush();
  expect(store.last([{ label: 1, type: 1 }], 0, 100, 10)).toEqual([6]);
});

test('returns a position once that is in several lists', () => {
  const store = postings();
  for (const label of [1, 2]) store.add(label, 1, position(5));
  store.flush();
  expect(
    store.last(
      [
        { label: 1, type: 1 },
        { label: 2, type: 1 },
      ],
      0,
      100,
      10,
    ),
  ).toEqual([5]);
});
