import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Delivery, memoryLeaseStreams } from '../../../test/contract/memoryLeaseStreams.ts';
import { createRandom } from '../../../test/support/random.ts';
import { runs } from '../../../test/support/runs.ts';
import { joinLease, type Lease, type LeaseOptions } from './lease.ts';
import type { LeaseTerm } from './leaseTerm.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);

/** Work that ends when its term does. */
const untilTermEnds = ({ signal }: LeaseTerm) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });

function createStage() {
  const store = memoryLeaseStreams();
  const reports: (string | Error)[] = [];
  const node = (name: string, options: Partial<LeaseOptions> & { passage?: () => Delivery | Promise<Delivery> } = {}) =>
    joinLease({
      name: 'projector',
      streams: store.connect(options.passage),
      node: name,
      boot: `${name}1`,
      work: untilTermEnds,
      report: (what) => void reports.push(what),
      ...options,
    });
  const entries = () => store.entriesOf('projector');
  return { node, entries, reports, epochs: () => entries().map(({ epoch }) => epoch) };
}

const isHeld = ({ term }: Lease) => term?.isHeld() ?? false;

test('a single node takes the lease at once and keeps it', async () => {
  const { node, entries } = createStage();
  const alone = node('a');
  await seconds(0);
  expect(alone.term).toMatchObject({ epoch: 1 });
  const first = alone.term;
  await seconds(600);
  expect(alone.term).toBe(first);
  expect(isHeld(alone)).toBe(true);
  expect(entries()).toHaveLength(1 + 600 / 4);
  expect(new Set(entries().map(({ id }) => id)).size).toBe(entries().length);
  await alone.stop();
  expect(entries().at(-1)).toMatchObject({ type: 'LeaseReleased', epoch: 1, node: 'a' });
});

test('one of two nodes holds the lease; when it stops, the other takes over with a higher epoch', async () => {
  const { node, epochs } = createStage();
  const [first, second] = [node('a'), node('b')];
  await seconds(60);
  expect([isHeld(first), isHeld(second)]).toEqual([true, false]);
  expect([first.holder, second.holder]).toEqual(['a', 'a']);
  await first.stop();
  expect(isHeld(first)).toBe(false);
  await seconds(2);
  expect(second.term?.epoch).toBe(2);
  expect(epochs()).toEqual(epochs().toSorted((a, b) => a - b));
  await second.stop();
});

test('replaces a dead node within 20 s without ever having two holders', async () => {
  const { node } = createStage();
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
  expect(other.term?.epoch).toBe(2);
});

test('a restarted node does not wait for its dead predecessor', async () => {
  const { node } = createStage();
  let isDead = false;
  node('a', { passage: () => (isDead ? 'lost' : 'delivered') });
  await seconds(5);
  isDead = true;
  const next = node('a', { boot: 'a2' });
  await seconds(0);
  expect(next.term?.epoch).toBe(2);
});

test('two processes with the same node name do not keep taking the lease from each other', async () => {
  const { node, entries } = createStage();
  const [one, copy] = [node('a'), node('a', { boot: 'a2' })];
  await seconds(120);
  expect([isHeld(one), isHeld(copy)].filter(Boolean)).toHaveLength(1);
  expect(entries().filter(({ type }) => type === 'LeaseTaken').length).toBeLessThanOrEqual(3);
});

test('ends the work in time during an outage of the store, and resumes with a new epoch', async () => {
  const { node } = createStage();
  let isAway = false;
  const terms: LeaseTerm[] = [];
  const lease = node('a', {
    passage: () => (isAway ? 'lost' : 'delivered'),
    work: (term) => {
      terms.push(term);
      return untilTermEnds(term);
    },
  });
  await seconds(10);
  isAway = true;
  await seconds(13);
  expect(terms.map(({ signal }) => signal.aborted)).toEqual([true]);
  expect(lease.term).toBeUndefined();
  await seconds(60);
  isAway = false;
  await seconds(3);
  expect(terms.map(({ epoch }) => epoch)).toEqual([1, 2]);
  expect(isHeld(lease)).toBe(true);
});

test('does not repeat an entry whose append succeeded without a response', async () => {
  const { node, entries } = createStage();
  const passages: Delivery[] = ['delivered', 'response lost', 'lost'];
  const lease = node('a', { passage: () => passages.shift() ?? 'delivered' });
  await seconds(1);
  expect(lease.term?.epoch).toBe(1);
  expect(entries()).toHaveLength(1);
});

test('a late response of the store does not extend the term', async () => {
  const { node } = createStage();
  let delayMs = 0;
  const slow = () => new Promise<Delivery>((resolve) => setTimeout(() => resolve('delivered'), delayMs));
  const lease = node('a', { passage: slow });
  await seconds(1);
  const first = lease.term;
  delayMs = 20_000;
  await seconds(15);
  expect(first?.isHeld()).toBe(false);
  expect(first?.signal.aborted).toBe(true);
});

test('lets another node take the lease after the work failed', async () => {
  const { node, reports } = createStage();
  const failing = node('a', { work: () => Promise.reject(new Error('cannot project')) });
  const healthy = node('b');
  await seconds(4);
  expect(isHeld(failing)).toBe(false);
  expect(isHeld(healthy)).toBe(true);
  expect(reports).toContainEqual(new Error('cannot project'));
});

test('a new term waits until the work of the previous one has ended', async () => {
  const { node } = createStage();
  let isAway = false;
  let atWork = 0;
  let most = 0;
  const lease = node('a', {
    passage: () => (isAway ? 'lost' : 'delivered'),
    async work(term) {
      atWork += 1;
      most = Math.max(most, atWork);
      await untilTermEnds(term);
      await new Promise((resolve) => setTimeout(resolve, 30_000));
      atWork -= 1;
    },
  });
  await seconds(1);
  isAway = true;
  await seconds(15);
  isAway = false;
  await seconds(40);
  expect(lease.term?.epoch).toBe(2);
  expect(most).toBe(1);
});

/** Of 50 ms: five minutes. */
const STEPS = runs(6_000).numRuns;

test.each([1, 2, 3, 4, 5])(
  'never has two holders, and mostly has one, with messages lost and delayed (seed %i)',
  async (seed) => {
    const { node, epochs } = createStage();
    const random = createRandom(seed);
    const passage = async (): Promise<Delivery> => {
      await new Promise((resolve) => setTimeout(resolve, random.chance(0.02) ? 15_000 : random.between(1, 300)));
      return random.chance(0.1) ? (random.chance(0.5) ? 'lost' : 'response lost') : 'delivered';
    };
    const nodes = ['a', 'b', 'c', 'd'].map((name) => node(name, { passage }));
    let timesHeld = 0;
    for (let step = 0; step < STEPS; step += 1) {
      await vi.advanceTimersByTimeAsync(50);
      const held = nodes.filter(isHeld).length;
      expect(held).toBeLessThanOrEqual(1);
      timesHeld += held;
    }
    expect(timesHeld).toBeGreaterThan(0.7 * STEPS);
    expect(epochs()).toEqual(epochs().toSorted((a, b) => a - b));
  },
);
