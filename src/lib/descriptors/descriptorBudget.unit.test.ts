import { expect, test } from 'vitest';
import { DescriptorBudget } from './descriptorBudget.ts';

/** A process with 20 files and idle or busy connections. */
function aProcess({ limit = 100, isCheap = true, counts = true } = {}) {
  const state = {
    limit: Number.isNaN(limit) ? undefined : limit,
    files: 20,
    idle: 0,
    busy: 0,
    now: 0,
    counted: 0,
    shortages: [] as (string | undefined)[],
  };
  const budget = new DescriptorBudget({
    readLimit: () => state.limit,
    count() {
      state.counted += 1;
      return counts ? { open: state.files + state.idle + state.busy, isCheap } : undefined;
    },
    onShortage: (errno) => state.shortages.push(errno),
    now: () => state.now,
  });
  const close = () => {
    state.idle -= 1;
  };
  budget.count({
    open: () => state.idle + state.busy,
    idle: () => Array.from({ length: state.idle }, () => ({ close })),
  });
  /** Opens busy connections as long as it may. */
  const fill = (may: () => boolean) => {
    while (may()) state.busy += 1;
    return state.busy;
  };
  return { budget, state, fill };
}

test('keeps an eighth of the limit free of connections for model requests, and half of it of clients', () => {
  const { budget, state, fill } = aProcess();
  expect(budget.reserve).toBe(13);
  expect(fill(() => budget.mayConnect())).toBe(100 - 20 - 13);
  expect(budget.isShort).toBe(true);
  expect(fill(() => budget.mayAccept(0))).toBe(100 - 20 - 6);
  expect(fill(() => budget.mayWait(0))).toBe(100 - 20 - 3);
  expect(state.shortages).toEqual([undefined, undefined]);
});

test.each([
  [24, 8],
  [256, 32],
  [1_048_576, 64],
])('keeps of a limit of %i descriptors %i free', (limit, reserve) => {
  expect(aProcess({ limit }).budget.reserve).toBe(reserve);
});

test('accepts no more connections than there are descriptors for, and for a connection to the provider for each', () => {
  const { budget, state } = aProcess();
  while (budget.mayAccept(state.busy)) state.busy += 1;
  expect(state.busy).toBe((100 - 20) / 2);
});

test('lets connections be opened again when others are closed', () => {
  const { budget, state, fill } = aProcess();
  fill(() => budget.mayConnect());
  state.busy -= 1;
  expect(budget.mayConnect()).toBe(true);
  expect(budget.isShort).toBe(false);
});

test('is not short while enough idle connections could be closed, and closes none to find that out', () => {
  const { budget, state } = aProcess();
  state.idle = 80;
  expect([budget.isShort, state.idle]).toEqual([false, 80]);
  state.idle = 1;
  state.busy = 79;
  expect(budget.isShort).toBe(true);
});

test('closes idle connections for new ones, but not if that cannot make room', () => {
  const { budget, state } = aProcess();
  state.idle = 67;
  expect(budget.mayConnect()).toBe(true);
  expect(state.idle).toBe(66);
  expect(state.shortages).toEqual([]);
  state.files += 70;
  state.now += 1_000;
  expect(budget.mayConnect()).toBe(false);
  expect(state.idle).toBe(66);
  state.files -= 10;
  state.now += 1_000;
  expect(budget.mayConnect()).toBe(true);
  expect(state.idle).toBe(6);
});

test('measures seldom while there is room, and before it refuses', () => {
  const { budget, state } = aProcess();
  for (let request = 0; request < 100; request += 1) budget.mayConnect();
  expect(state.counted).toBe(1);
  state.now += 600;
  budget.mayConnect();
  expect(state.counted).toBe(2);
  // More files than the last measurement found: nothing refuses before the next one.
  state.files = 90;
  expect(budget.mayConnect()).toBe(true);
  state.now += 600;
  expect(budget.mayConnect()).toBe(false);
  // As soon as they are closed, and the measurement of the time before is old.
  state.files = 20;
  state.now += 50;
  expect(budget.mayConnect()).toBe(false);
  state.now += 250;
  expect(budget.mayConnect()).toBe(true);
});

test('a count that misses connections that are being opened does not lower that of other files', () => {
  const { budget, state, fill } = aProcess();
  let opening = 0;
  budget.count({ open: () => opening });
  budget.mayConnect();
  // They have no descriptor yet.
  opening = 10;
  state.now += 30;
  expect(fill(() => budget.mayConnect())).toBe(100 - 20 - 13 - 10);
});

test('lists descriptors only every ten seconds where that is expensive', () => {
  const { budget, state } = aProcess({ isCheap: false });
  for (; state.now < 9_000; state.now += 100) budget.mayConnect();
  expect(state.counted).toBe(1);
});

test('without a limit everything may be opened until the system refuses', () => {
  const { budget, state } = aProcess({ limit: Number.NaN });
  state.busy = 1_000_000;
  expect(budget.mayConnect() && budget.mayAccept(1_000) && budget.mayWait(1_000)).toBe(true);
  budget.onRefused('ENFILE');
  expect(budget.mayConnect() || budget.mayAccept(0)).toBe(false);
  expect(state.shortages).toEqual(['ENFILE', undefined, undefined]);
  state.now += 1_001;
  expect(budget.mayConnect()).toBe(true);
});

test('where descriptors cannot be counted, those of files are assumed', () => {
  const { budget, fill } = aProcess({ limit: 200, counts: false });
  expect(fill(() => budget.mayConnect())).toBe(200 - 64 - 25);
});

test('follows a limit that is raised while the process runs', () => {
  const { budget, state, fill } = aProcess();
  fill(() => budget.mayConnect());
  state.limit = 1_000;
  state.now += 6_000;
  expect(budget.mayConnect()).toBe(true);
});
