import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Delivery, memoryLeaseStreams } from '../../../test/contract/memoryLeaseStreams.ts';
import { createRandom } from '../../../test/support/random.ts';
import { joinNodes } from './joinNodes.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);

function createStage() {
  const store = memoryLeaseStreams();
  const errors: Error[] = [];
  const node = (
    name: string,
    { boot = `${name}1`, passage }: { boot?: string; passage?: () => Delivery | Promise<Delivery> } = {},
  ) => {
    const joined = joinNodes({
      streams: store.connect(passage),
      node: name,
      boot,
      onRefused: (error) => void errors.push(error),
      onWritten: () => undefined,
    });
    return Object.assign(joined, { names: () => joined.live.names.join() });
  };
  return { node, errors, entriesOf: store.entriesOf };
}

test('a single node counts itself and writes one entry in 4 s', async () => {
  const { node, entriesOf } = createStage();
  const alone = node('a');
  await seconds(40);
  expect([alone.live.count, alone.names()]).toEqual([1, 'a']);
  expect(entriesOf('node-a').length).toBe(11);
});

test('knows of a node that starts, and is known by it, within a second', async () => {
  const { node } = createStage();
  const a = node('a');
  await seconds(30);
  const b = node('b');
  await b.whenKnown(1_000);
  await seconds(0.1);
  expect([a.names(), b.names()]).toEqual(['a,b', 'b,a']);
  const c = node('c');
  await seconds(0.1);
  expect([a.live.count, b.live.count, c.live.count]).toEqual([3, 3, 3]);
  await seconds(600);
  expect([a.live.count, b.live.count, c.live.count]).toEqual([3, 3, 3]);
});

test('does not count a node that leaves any more', async () => {
  const { node } = createStage();
  const [a, b] = [node('a'), node('b')];
  await seconds(9);
  await b.leave();
  await seconds(0);
  expect(a.names()).toBe('a');
});

test('does not count a dead node any more within 17 s, and counts it for at least 8 s', async () => {
  const { node } = createStage();
  let isDead = false;
  const a = node('a');
  node('b', { passage: () => (isDead ? 'lost' : 'delivered') });
  await seconds(31.3);
  isDead = true;
  let tookS = 0;
  while (a.live.count > 1) {
    await seconds(0.5);
    tookS += 0.5;
  }
  expect(tookS).toBeGreaterThanOrEqual(8);
  expect(tookS).toBeLessThanOrEqual(17);
});

test('misses no node while the store is away, however long', async () => {
  const { node } = createStage();
  let isAway = false;
  const passage = (): Delivery => (isAway ? 'lost' : 'delivered');
  const nodes = ['a', 'b', 'c'].map((name) => node(name, { passage }));
  const counts = () => nodes.map(({ live }) => live.count);
  await seconds(10);
  isAway = true;
  for (let minute = 0; minute < 10; minute += 1) {
    await seconds(60);
    expect(counts()).toEqual([3, 3, 3]);
  }
  isAway = false;
  for (let second = 0; second < 60; second += 1) {
    await seconds(1);
    expect(counts()).toEqual([3, 3, 3]);
  }
});

test('a node that is cut off alone still counts the others, which no longer count it', async () => {
  const { node } = createStage();
  let isCutOff = false;
  const a = node('a', { passage: () => (isCutOff ? 'lost' : 'delivered') });
  const b = node('b');
  await seconds(10);
  isCutOff = true;
  await seconds(60);
  expect([a.live.count, b.live.count]).toEqual([2, 1]);
  isCutOff = false;
  await seconds(2);
  expect([a.live.count, b.live.count]).toEqual([2, 2]);
});

test('replaces the earlier start of a restarted node, its own and that of another', async () => {
  const { node } = createStage();
  let isKilled = false;
  const a = node('a');
  node('b', { passage: () => (isKilled ? 'lost' : 'delivered') });
  await seconds(6);
  isKilled = true;
  const b = node('b', { boot: 'b2' });
  await seconds(0.1);
  expect([a.names(), b.names()]).toEqual(['a,b', 'b,a']);
});

test('counts two processes on copies of one data folder as two nodes', async () => {
  const { node } = createStage();
  const a = node('a');
  const copies = [node('b'), node('b', { boot: 'b2' })];
  await seconds(30);
  expect([a.live.count, ...copies.map(({ live }) => live.count)]).toEqual([3, 3, 3]);
});

test.each([1, 2, 3])('never misses a live node with messages lost and delayed (seed %i)', async (seed) => {
  const { node } = createStage();
  const random = createRandom(seed);
  const passage = async (): Promise<Delivery> => {
    await new Promise((resolve) => setTimeout(resolve, random.between(1, 300)));
    return random.chance(0.1) ? 'response lost' : 'delivered';
  };
  const nodes = ['a', 'b', 'c', 'd'].map((name) => node(name, { passage }));
  await seconds(5);
  for (let second = 0; second < 300; second += 1) {
    await seconds(1);
    expect(nodes.map(({ live }) => live.count)).toEqual([4, 4, 4, 4]);
  }
});

test('says that the store refuses its entries, and goes on when it takes them again', async () => {
  const store = memoryLeaseStreams();
  const streams = store.connect();
  const said: string[] = [];
  let isRefused = true;
  const joined = joinNodes({
    streams: {
      ...streams,
      append: async (...entry) =>
        isRefused ? { kind: 'rejected', reason: 'the stream was deleted' } : streams.append(...entry),
    },
    node: 'a',
    boot: 'a1',
    onRefused: ({ message }) => void said.push(message),
    onWritten: () => void said.push('written'),
  });
  await seconds(5);
  expect([said, joined.live.isKnown]).toEqual([
    ['the lease "node-a" cannot be written: the stream was deleted'],
    false,
  ]);
  isRefused = false;
  await seconds(20);
  expect([said[1], joined.live.isKnown]).toEqual(['written', true]);
});
