import { expect, test } from 'vitest';
import { atOnce, forEachInTurns, inTurns, type Turns } from './turns.ts';

function* endless(onEnd: () => void): Turns<never> {
  try {
    for (;;) yield;
  } finally {
    onEnd();
  }
}

test('ends the work, and what it reads from, when it is no longer wanted', async () => {
  let [turns, isEnded] = [0, false];
  const work = endless(() => {
    isEnded = true;
  });
  const end = inTurns(work, () => {
    if (++turns === 3) throw new Error('not wanted');
  });
  await expect(end).rejects.toThrow('not wanted');
  expect([turns, isEnded]).toEqual([3, true]);
});

test('lets other work run between two turns', async () => {
  const order: string[] = [];
  setImmediate(() => order.push('other'));
  function* work(): Turns<string> {
    while (order.length === 0) yield;
    order.push('work');
    return 'done';
  }
  expect(await inTurns(work(), () => undefined)).toBe('done');
  expect(order).toEqual(['other', 'work']);
});

test('visits all rows, whether at once or in turns', () => {
  const seen: number[] = [];
  const turns = forEachInTurns([1, 2, 3, 4, 5], (row) => seen.push(row), 2);
  expect(Array.from({ length: 4 }, () => turns.next().done)).toEqual([false, false, false, true]);
  atOnce(forEachInTurns([6], (row) => seen.push(row)));
  expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
});
