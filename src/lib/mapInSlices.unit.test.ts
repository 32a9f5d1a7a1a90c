import { expect, test } from 'vitest';
import { mapInSlices } from './mapInSlices.ts';

test.each([0, 1, 500, 501, 2_000])('maps %i entries in order', async (length) => {
  const items = Array.from({ length }, (_, index) => index);
  expect(await mapInSlices(items, (item) => -item)).toEqual(items.map((item) => -item));
});

test('lets others have their turn after each slice', async () => {
  const turns: number[] = [];
  let isDone = false;
  let mapped = 0;
  const watch = () => {
    if (isDone) return;
    turns.push(mapped);
    setImmediate(watch);
  };
  setImmediate(watch);
  // Each entry takes longer than a slice.
  await mapInSlices(Array.from({ length: 4 }), () => {
    for (const began = performance.now(); performance.now() - began < 6; );
    mapped += 1;
  });
  isDone = true;
  expect(turns).toEqual(expect.arrayContaining([1, 2, 3]));
});
