import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY, HOUR, later, MINUTE, NOW } from '../../../test/support/specification.ts';
import { type Instant, instant, position } from '../../domain/core/brands.ts';
import { acceptedAt, advanceTo } from '../../domain/limits/windowsClock.ts';
import type { LeaseEntry } from '../../eventLog/leaseStreams.ts';
import { Faults } from '../../lib/faults.ts';
import { Checkpoints } from '../fold/checkpoints.ts';
import { HotState } from '../fold/hotState.ts';
import type { TimedEvent } from '../fold/timeline.ts';
import { ClockWatch } from './clockWatch.ts';
import type { Jump } from './limitClock.ts';

interface Member {
  readonly name: string;
  readonly watch: ClockWatch;
  readonly live: Parameters<ClockWatch['follow']>[0];
  readonly isAlive: () => boolean;
}

/** Nodes that share a log, each with its own error of the clock. Entries of leases arrive every 4 s. */
function cluster({ windowsAt = NOW as Instant | undefined } = {}) {
  let passedMs = 0;
  const right = () => later(passedMs);
  let windowsTime = windowsAt;
  const nodes: Member[] = [];
  const states: HotState[] = [];
  const names = () => nodes.filter(({ isAlive }) => isAlive()).map(({ name }) => name);

  /** @param latest the latest time in the log */
  function start(name: string, errorMs = 0, latest?: Instant) {
    const hot = { state: new HotState(), checkpoints: new Checkpoints() };
    if (latest) hot.checkpoints.onFolded(hot.state, { time: latest, position: position(1) } as TimedEvent);
    if (windowsTime) hot.state.windowsClock = advanceTo(hot.state.windowsClock, windowsTime);
    states.push(hot.state);
    /** `driftMs` is also an error of the monotonic clock, so that it is no jump. */
    const clock = { errorMs, driftMs: 0 };
    let alive = true;
    const now = () => instant(right() + clock.errorMs + clock.driftMs);
    const lines: string[] = [];
    const faults = new Faults({ print: (line) => lines.push(line), now });
    const watch = new ClockWatch({ hot, now, monotonicNow: () => passedMs + clock.driftMs, faults, sharesLog: true });
    const jumps: Jump[] = [];
    watch.start(async (jump) => jumps.push(jump));
    watch.stop();
    const live = {
      isKnown: true,
      get names() {
        return [name, ...names().filter((other) => other !== name)];
      },
    };
    watch.follow(live);
    const node = {
      ...{ name, watch, jumps, live, lines, hot, clock },
      isAlive: () => alive,
      die: () => {
        alive = false;
      },
      codes: () => faults.current.map(({ code, subject }) => (subject === undefined ? code : `${code} ${subject}`)),
      admit() {
        const asOf = watch.limitClock.now();
        windowsTime = windowsTime === undefined || asOf > windowsTime ? asOf : windowsTime;
        for (const state of states) state.windowsClock = advanceTo(state.windowsClock, asOf);
        return asOf;
      },
    };
    nodes.push(node);
    return node;
  }

  function pass(ms: number): void {
    for (const end = passedMs + ms; passedMs < end; ) {
      passedMs += 1_000;
      for (const node of nodes.filter(({ isAlive }) => isAlive())) {
        if (passedMs % 4_000 === 0) {
          const entry = { type: 'LeaseRenewed', node: node.name, ...node.watch.stamp() } as LeaseEntry;
          for (const other of nodes) if (other !== node && other.isAlive()) other.watch.onEntry(entry, other.live);
        }
        node.watch.check();
      }
    }
  }
  const windows = () => windowsTime as Instant;
  const accept = (time: Instant) => {
    windowsTime = time;
    for (const state of states) state.windowsClock = acceptedAt(time, position(1));
  };
  return { start, pass, right, windows, accept };
}

test('a node that starts two days ahead is named and moves no window of the others', () => {
  const { start, pass, right, windows } = cluster();
  const [a, b] = [start('a'), start('b')];
  pass(20_000);
  const c = start('c', 2 * DAY);
  for (let round = 0; round < 30; round++) {
    for (const node of [a, b, c]) node.admit();
    expect(windows()).toBeLessThanOrEqual(right());
    pass(2_000);
  }
  expect(a.codes()).toEqual(['clock_of_node_differs c']);
  expect(b.codes()).toEqual(['clock_of_node_differs c']);
  expect(c.codes()).toEqual(['clock_held']);
  expect(a.lines.join()).toMatch(/clock of node c is 2 days ahead/);
  expect(c.admit()).toBe(windows());
  expect(windows()).toBeGreaterThan(right() - 10_000);
});

test('a node that starts ahead is in the log as one that jumped, once', () => {
  const { start, pass, right } = cluster();
  start('a');
  pass(20_000);
  const b = start('b', 2 * DAY);
  pass(60_000);
  expect(b.jumps).toHaveLength(1);
  const [{ from, to } = { from: NOW, to: NOW }] = b.jumps;
  expect(to - from).toBeGreaterThan(2 * DAY - MINUTE);
  expect(from).toBeLessThanOrEqual(right());
});

test('a start ends what a node that was ahead has left in the log, and reports no jump of its own', () => {
  const { start, pass } = cluster();
  start('a');
  pass(20_000);
  const b = start('b', 0, later(2 * DAY));
  pass(20_000);
  expect(b.jumps.map(({ from }) => from)).toEqual([later(2 * DAY)]);
  expect(b.codes()).toEqual([]);
});

test('a node whose clock jumps ahead goes on with the others, and says so until it is right', () => {
  const { start, pass, right, windows } = cluster();
  const [a, b] = [start('a'), start('b')];
  pass(20_000);
  b.clock.errorMs = 2 * DAY;
  expect(b.admit()).toBeLessThanOrEqual(right());
  pass(30_000);
  b.admit();
  expect(windows()).toBeLessThanOrEqual(right());
  expect(b.jumps).toHaveLength(1);
  expect(b.codes().sort()).toEqual(['clock_held', 'clock_jumped', 'clock_of_node_differs a']);
  expect(a.codes()).toEqual(['clock_of_node_differs b']);
  b.clock.errorMs = 0;
  pass(30_000);
  expect(a.codes()).toEqual([]);
  expect(b.codes()).toEqual(['clock_jumped']);
  expect(b.admit()).toBe(right());
});

test('nodes that start after a weekend confirm each other at once', () => {
  const { start, pass, right } = cluster();
  pass(2 * DAY);
  const [a, b] = [start('a'), start('b')];
  expect(a.watch.limitClock.isHeld).toBe(true);
  pass(8_000);
  expect([a.admit(), b.admit()]).toEqual([right(), right()]);
  expect([...a.codes(), ...b.codes()]).toEqual([]);
});

test('a single node of a shared log follows its clock after it has seen no other', () => {
  const { start, pass, right } = cluster();
  pass(2 * DAY);
  const alone = start('a');
  expect(alone.admit()).toBe(NOW);
  pass(25_000);
  expect(alone.admit()).toBe(right());
  expect(alone.codes()).toEqual([]);
});

test('all nodes sleep and wake: they go on by their clocks once they agree', () => {
  const { start, pass, right } = cluster();
  const nodes = [start('a'), start('b')];
  pass(20_000);
  for (const { clock } of nodes) clock.errorMs = 8 * HOUR;
  pass(12_000);
  for (const node of nodes) {
    expect(node.admit()).toBe(later(8 * HOUR, right()));
    expect(node.codes()).toEqual(['clock_jumped']);
  }
});

test('a node that is behind uses the windows of the others and is named', () => {
  const { start, pass, right, windows } = cluster();
  const [a, b] = [start('a'), start('b', -2 * HOUR)];
  pass(30_000);
  a.admit();
  expect(b.admit()).toBe(windows());
  expect(windows()).toBe(right());
  expect(a.codes()).toEqual(['clock_of_node_differs b']);
  expect(b.codes()).toContain('clock_of_node_differs a');
});

test('a clock that drifts ahead of most others stops to move the windows', () => {
  const { start, pass, right, windows } = cluster();
  const [a, b, c] = [start('a'), start('b'), start('c')];
  pass(20_000);
  for (let minute = 0; minute < 20; minute++) {
    c.clock.driftMs = (minute + 1) * 10_000;
    pass(MINUTE);
    for (const node of [a, b, c]) node.admit();
    expect(windows()).toBeLessThanOrEqual(right() + 2 * MINUTE);
  }
  // It is in the log as a clock that differs, not reported as a jump.
  expect(c.jumps).toHaveLength(1);
  expect(c.codes()).not.toContain('clock_jumped');
  expect(c.watch.limitClock.isHeld).toBe(true);
  expect(a.codes()).toEqual(['clock_of_node_differs c']);
  expect(c.codes()).toContain('clock_held');
});

test('late entries after an outage name nobody', () => {
  const { start, pass, right } = cluster();
  const a = start('a');
  pass(20_000);
  for (let lateMs = 600_000; lateMs >= 0; lateMs -= 4_000) {
    a.watch.onEntry({ type: 'LeaseRenewed', node: 'b', time: right() - lateMs } as LeaseEntry, {
      isKnown: true,
      names: ['a', 'b'],
    });
  }
  a.watch.check();
  expect(a.codes()).toEqual([]);
});

test('an accepted clock is that of all nodes, also of those that disagree', () => {
  const { start, pass, right, accept, windows } = cluster();
  const [a, b] = [start('a'), start('b', 2 * DAY)];
  pass(30_000);
  accept(right());
  pass(30_000);
  a.admit();
  b.admit();
  expect(windows()).toBeLessThanOrEqual(right());
  expect(a.watch.limitClock.isHeld).toBe(false);
  accept(later(2 * DAY, right()));
  expect(b.admit()).toBe(later(2 * DAY, right()));
  expect(a.admit()).toBe(windows());
});

test('one wrong clock never moves the windows of others beyond a minute', () => {
  const scenario = fc.record({
    nodes: fc.integer({ min: 2, max: 4 }),
    startsWrong: fc.boolean(),
    errors: fc.array(fc.integer({ min: -3 * DAY, max: 3 * DAY }), { minLength: 1, maxLength: 4 }),
    pauses: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 4, maxLength: 4 }),
  });
  fc.assert(
    fc.property(scenario, ({ nodes, startsWrong, errors, pauses }) => {
      const { start, pass, right, windows } = cluster();
      const good = Array.from({ length: nodes - 1 }, (_, index) => start(`good${index}`));
      pass(20_000);
      const bad = start('bad', startsWrong ? errors[0] : 0);
      let last = windows();
      for (const [index, errorMs] of errors.entries()) {
        pass((pauses[index] ?? 1) * 1_000);
        bad.clock.errorMs = errorMs;
        for (const node of [bad, ...good]) node.admit();
        expect(windows() - right()).toBeLessThanOrEqual(MINUTE);
        expect(windows()).toBeGreaterThanOrEqual(last);
        last = windows();
      }
    }),
    { numRuns: 150 },
  );
});
