import { expect, test } from 'vitest';
import { createSemaphore } from './semaphore.ts';

test('no more than so many run at a time, in the order in which they came', async () => {
  const inSlot = createSemaphore(2);
  const begun: number[] = [];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const all = gates.map(({ promise }, index) =>
    inSlot(async () => {
      begun.push(index);
      await promise;
      return index;
    }),
  );
  for (const [index, { resolve }] of gates.entries()) {
    expect(begun).toEqual([0, 1, 2, 3, 4].slice(0, index + 2));
    resolve();
    await all[index];
    await Promise.resolve();
  }
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4]);
});

test('work that fails frees its slot', async () => {
  const inSlot = createSemaphore(1);
  await expect(inSlot(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await inSlot(async () => 'next')).toBe('next');
});
