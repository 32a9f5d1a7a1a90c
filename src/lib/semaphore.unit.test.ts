import { expect, test } from 'vitest';
import { createSemaphore } from './semaphore.ts';

test('runs at most as many as it has permits, in the order of the calls', async () => {
  const withPermit = createSemaphore(2);
  const started: number[] = [];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const all = gates.map(({ promise }, index) =>
    withPermit(async () => {
      started.push(index);
      await promise;
      return index;
    }),
  );
  for (const [index, { resolve }] of gates.entries()) {
    expect(started).toEqual([0, 1, 2, 3, 4].slice(0, index + 2));
    resolve();
    await all[index];
    await Promise.resolve();
  }
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4]);
});

test('releases its permit when the work fails', async () => {
  const withPermit = createSemaphore(1);
  await expect(withPermit(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await withPermit(async () => 'next')).toBe('next');
});
