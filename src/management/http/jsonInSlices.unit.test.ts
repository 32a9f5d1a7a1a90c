import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { jsonInSlices } from './jsonInSlices.ts';

const entry = (index: number) => ({
  id: index,
  name: `名前 "${index}"`,
  at: new Date(index),
  absent: undefined,
  list: [1, 2],
});
const list = (length: number) => Array.from({ length }, (_, index) => entry(index));

test.each([
  ['an empty list', []],
  ['a list', list(3)],
  ['a long list', list(1_234)],
  ['a long list of a multiple of the pieces', list(400)],
  ['a long list with gaps', [...list(300), undefined, null, () => 1]],
  ['an empty object', {}],
  ['an object', { total: 1, none: undefined, nested: { list: list(300) } }],
  [
    'an object with long lists',
    { none: undefined, total: 1, keys: list(500), last: list(201), after: 'ä', absent: undefined },
  ],
])('writes %s as JSON.stringify does', async (_, value) => {
  expect((await jsonInSlices(value)).toString()).toBe(JSON.stringify(value));
});

test('lets other work have its turn while it writes a long list', async () => {
  let turns = 0;
  let isWritten = false;
  const counting = (async () => {
    while (!isWritten) {
      await nextTurn();
      turns += 1;
    }
  })();
  await jsonInSlices({ keys: list(60_000) });
  isWritten = true;
  await counting;
  expect(turns).toBeGreaterThan(3);
});
