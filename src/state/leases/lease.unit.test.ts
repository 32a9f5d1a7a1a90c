import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Delivery, memoryLeaseStreams } from '../../../test/contract/memoryLeaseStreams.ts';
import { createRandom } from '../../../test/durability/support/random.ts';
import { type Lease, type LeaseOptions, takePartInLease } from './lease.ts';
import type { LeaseTerm } from './leaseTerm.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);

/** Works until its time is over, as what only one node does should. */
const untilOver = ({ signal }: LeaseTerm) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });

function aStage() {
  const store = memoryLeaseStreams();
  const reports: (string | Error)[] = [];
  const node = (name: string, options: Partial<LeaseOptions> & { passage?: () => Delivery | Promise<Delivery> } = {}) =>
    takePartInLease({
      name: 'projector',
      streams: store.connect(options.passage),
      node: name,
      boot: `${name}1`,
      work: untilOver,
      report: (what) => void reports.push(what),
      ...options,
    });
  const entries = () => store.entriesOf('projector');
  return { node, entries, reports, epochs: () => entries().map(({ epoch }) => epoch) };
}

const isHeld = ({ tenure }: Lease) => tenure?.isHeld() ?? false;

test('a node that is alone takes the lease at once and keeps it', async () => {
  const { node, entries } = aStage();
  const alone = node('a');
  await seconds(0);
  expect(alone.tenure).toMatchObject({ epoch: 1 });
  const first = alone.tenure;
  await seconds(600);
  expect(alone.tenure).toBe(first);
  expect(isHeld(alone)).toBe(true);
  expect(entries()).toHaveLength(1 + 600 / 4);
  expect(new Set(entries().map(({ id }) => id)).size).toBe(entries().length);
  await alone.stop();
  expect(entries().at(-1)).toMatchObject({ type: 'LeaseReleased', epoch: 1, node: 'a' });
});

test('of two nodes one has it; when that one stops, the other has it soon, under a higher epoch', async () => {
  const { node, epochs } = aStage();
  const [first, second] = [node('a'), node('b')];
  await seconds(60);
  expect([isHeld(first), isHeld(second)]).toEqual([true, false]);
  expect([first.holder, second.holder]).toEqual(['a', 'a']);
  await first.stop();
  expect(isHeld(first)).toBe(false);
  await seconds(2);
  expect(second.tenure?.epoch).toBe(2);
  expect(epochs()).toEqual(epochs().toSorted((a, b) => a - b));
  await second.stop();
});

test('a node that dies is replaced within 20 s, and never two have it', async () => {
  const { node } = aStage();
  let isDead = false;
  const dying = node('a', { passage: () => (isDead ? 'lost' : 'delivered') });
  const other = node('b');
  await seconds(31.7);
  isDead = true;
  let tookMs = 0;
  while (!isHeld(other)) {
    await vi.advanceTimersByTimeAsync(100);
    tookMs += 100;
    expect(isHeld(dying) && isHeld(other)).toBe(false);
  }
  expect(tookMs).toBeLessThan(16_000);
  expect(other.tenure?.epoch).toBe(2);
});

test('a later start of the same node does not wait for the one that died', async () => {
  const { node } = aStage();
  let isDead = false;
  node('a', { passage: () => (isDead ? 'lost' : 'delivered') });
  await seconds(5);
  isDead = true;
  const next = node('a', { boot: 'a2' });
  await seconds(0);
  expect(next.tenure?.epoch).toBe(2);
});

test('two processes with the same name, as a copied data folder makes them, do not take it from each other for ever', async () => {
  const { node, entries } = aStage();
  const [one, copy] = [node('a'), node('a', { boot: 'a2' })];
  await seconds(120);
  expect([isHeld(one), isHeld(copy)].filter(Boolean)).toHaveLength(1);
  expect(entries().filter(({ type }) => type === 'LeaseTaken').length).toBeLessThanOrEqual(3);
});

test('while the store is away the work ends in time, and begins again with a new epoch when it is back', async () => {
  const { node } = aStage();
  let isAway = false;
  const tenures: LeaseTerm[] = [];
  const lease = node('a', {
    passage: () => (isAway ? 'lost' : 'delivered'),
    work: (tenure) => {
      tenures.push(tenure);
      return untilOver(tenure);
    },
  });
  await seconds(10);
  isAway = true;
  await seconds(13);
  expect(tenures.map(({ signal }) => signal.aborted)).toEqual([true]);
  expect(lease.tenure).toBeUndefined();
  await seconds(60);
  isAway = false;
  await seconds(3);
  expect(tenures.map(({ epoch }) => epoch)).toEqual([1, 2]);
  expect(isHeld(lease)).toBe(true);
});

test('an entry that was written although nobody learned of it is not written again', async () => {
  const { node, entries } = aStage();
  const passages: Delivery[] = ['delivered', 'response lost', 'lost'];
  const lease = node('a', { passage: () => passages.shift() ?? 'delivered' });
  await seconds(1);
  expect(lease.tenure?.epoch).toBe(1);
  expect(entries()).toHaveLength(1);
});

test('a store that answers late gives no more time than was left', async () => {
  const { node } = aStage();
  let delayMs = 0;
  const slow = () => new Promise<Delivery>((resolve) => setTimeout(() => resolve('delivered'), delayMs));
  const lease = node('a', { passage: slow });
  await seconds(1);
  const first = lease.tenure;
  delayMs = 20_000;
  await seconds(15);
  expect(first?.isHeld()).toBe(false);
  expect(first?.signal.aborted).toBe(true);
});

test('when the work fails, another node gets its chance', async () => {
  const { node, reports } = aStage();
  const failing = node('a', { work: () => Promise.reject(new Error('cannot project')) });
  const healthy = node('b');
  await seconds(4);
  expect(isHeld(failing)).toBe(false);
  expect(isHeld(healthy)).toBe(true);
  expect(reports).toContainEqual(new Error('cannot project'));
});

test('the next tenure waits for the work of the one before', async () => {
  const { node } = aStage();
  let isAway = false;
  let atWork = 0;
  let most = 0;
  const lease = node('a', {
    passage: () => (isAway ? 'lost' : 'delivered'),
    async work(tenure) {
      atWork += 1;
      most = Math.max(most, atWork);
      await untilOver(tenure);
      await new Promise((resolve) => setTimeout(resolve, 30_000));
      atWork -= 1;
    },
  });
  await seconds(1);
  isAway = true;
  await seconds(15);
  isAway = false;
  await seconds(40);
  expect(lease.tenure?.epoch).toBe(2);
  expect(most).toBe(1);
});

test.each([1, 2, 3, 4, 5])(
  'whatever is lost or late on the way, never two nodes have it and somebody mostly has it (%i)',
  async (seed) => {
    const { node, epochs } = aStage();
    const random = createRandom(seed);
    const passage = async (): Promise<Delivery> => {
      await new Promise((resolve) => setTimeout(resolve, random.chance(0.02) ? 15_000 : random.between(1, 300)));
      return random.chance(0.1) ? (random.chance(0.5) ? 'lost' : 'response lost') : 'delivered';
    };
    const nodes = ['a', 'b', 'c', 'd'].map((name) => node(name, { passage }));
    let timesHeld = 0;
    for (let step = 0; step < 20_000; step += 1) {
      await vi.advanceTimersByTimeAsync(50);
      const held = nodes.filter(isHeld).length;
      expect(held).toBeLessThanOrEqual(1);
      timesHeld += held;
    }
    expect(timesHeld).toBeGreaterThan(15_000);
    expect(epochs()).toEqual(epochs().toSorted((a, b) => a - b));
  },
);
