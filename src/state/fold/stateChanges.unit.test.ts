import { deserialize, serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { changesBetween, type StateData, withChanges } from './stateChanges.ts';

/** States with a map and a part that is not one. */
const state = (revisions: Record<string, unknown>, mode: unknown = 'a'): StateData =>
  ({ revisions: new Map(Object.entries(revisions)), settings: mode }) as unknown as StateData;

const roundTrip = (states: readonly StateData[], index: number): StateData => {
  const changes = states.slice(1).map((after, at) => changesBetween(states[at] as StateData, after));
  const stored = deserialize(serialize({ first: states[0], changes }));
  return withChanges(stored.first, stored.changes.slice(0, index));
};

const STATES = [
  state({ a: 1, b: 2 }),
  state({ a: 1, b: 2, c: 3 }),
  state({ a: 5, c: 3 }, 'b'),
  // `a` was removed and came back: it is the last entry now.
  state({ c: 3, a: 5 }, 'b'),
  state({}, undefined),
  state({ d: { counts: [1, 2] } }, { strategy: 'c' }),
  state({ d: { counts: [1, 2] }, e: new Map([['x', 1]]) }, { strategy: 'c' }),
];

test.each(STATES.map((_, index) => index))('gives state %i again, with its entries in their order', (index) => {
  const [found, wanted] = [roundTrip(STATES, index), STATES[index] as StateData];
  expect(found).toEqual(wanted);
  expect([...(found.revisions?.keys() ?? [])]).toEqual([...(wanted.revisions?.keys() ?? [])]);
});

test('keeps an entry that was copied and is equal out of the changes', () => {
  const { parts, maps } = changesBetween(
    state({ d: { counts: [1, 2] }, e: 1 }),
    state({ d: { counts: [1, 2] }, e: 2 }),
  );
  expect({ parts, maps }).toEqual({ parts: {}, maps: { revisions: { removed: [], set: [['e', 2]] } } });
});

test('leaves the state that it begins with unchanged', () => {
  const [first = {}, second = {}] = STATES;
  withChanges(first, [changesBetween(first, second)]);
  expect(first).toEqual(state({ a: 1, b: 2 }));
});
