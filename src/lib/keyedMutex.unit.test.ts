import { expect, test } from 'vitest';
import { createKeyedMutex } from './keyedMutex.ts';

function deferred() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

test('runs work of one key in order and work of different keys at the same time', async () => {
  const mutex = createKeyedMutex();
  const first = deferred();
  const order: string[] = [];
  const works = [
    mutex('a', async () => {
      await first.promise;
      order.push('a1');
    }),
    mutex('a', async () => void order.push('a2')),
    mutex('b', async () => void order.push('b1')),
  ];
  await works[2];
  expect(order).toEqual(['b1']);
  first.resolve();
  await Promise.all(works);
  expect(order).toEqual(['b1', 'a1', 'a2']);
});

test('rejects the call whose work fails and continues with the next', async () => {
  const mutex = createKeyedMutex();
  const failing = mutex('a', () => Promise.reject(new Error('broken')));
  const next = mutex('a', async () => 'done');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('done');
});
