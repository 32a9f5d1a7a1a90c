import { expect, test } from 'vitest';
import { gatherEvents } from './gatherEvents.ts';

/** How long events are gathered when so many are pending at each look. */
async function gathered(pendingAt: (waitedMs: number) => number | undefined): Promise<number> {
  let waited = 0;
  await gatherEvents({
    pending: () => pendingAt(waited),
    wait: async (ms) => {
      waited += ms;
    },
  });
  return waited;
}

test('many events are projected after 200 ms', async () => {
  expect(await gathered(() => 1_000)).toBe(200);
});

test('few events are projected after a second', async () => {
  expect(await gathered(() => 999)).toBe(1_000);
});

test('few events are projected as soon as they have become many', async () => {
  expect(await gathered((waitedMs) => waitedMs * 3)).toBe(400);
});

test('nothing is waited for once it is unknown how many there are', async () => {
  expect(await gathered((waitedMs) => (waitedMs < 400 ? 1 : undefined))).toBe(400);
});
