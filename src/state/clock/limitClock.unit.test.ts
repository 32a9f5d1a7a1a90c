import { expect, test } from 'vitest';
import { DAY, earlier, HOUR, later, MINUTE, NOW } from '../../../test/support/specification.ts';
import { type Instant, instant, position } from '../../domain/core/brands.ts';
import { acceptedAt, advanceTo } from '../../domain/limits/windowsClock.ts';
import { HotState } from '../fold/hotState.ts';
import { type Jump, LimitClock } from './limitClock.ts';

/** A node whose clock shows the right time plus `errorMs`. */
function setUp({ holdsOnJump = false } = {}) {
  const hot = new HotState();
  const jumps: Jump[] = [];
  const state = { passedMs: 0, errorMs: 0 };
  const right = () => later(state.passedMs);
  const clock = new LimitClock({
    hot,
    now: () => instant(right() + state.errorMs),
    monotonicNow: () => 5_000 + state.passedMs,
    holdsOnJump,
    onJump: (jump) => jumps.push(jump),
  });
  const pass = (ms: number) => {
    state.passedMs += ms;
    return clock.now();
  };
  const jump = (errorMs: number) => {
    state.errorMs = errorMs;
    return clock.now();
  };
  const accept = (time: Instant) => {
    hot.windowsClock = acceptedAt(time, position(1));
  };
  return { hot, clock, jumps, right, pass, jump, accept };
}

test('follows the clock of the machine', () => {
  const { pass, right, jumps } = setUp();
  expect(pass(3 * DAY)).toBe(right());
  expect(jumps).toEqual([]);
});

test('reports a jump by more than a minute once, in both directions', () => {
  const { jump, pass, jumps } = setUp();
  jump(MINUTE);
  expect(jumps).toEqual([]);
  jump(-2 * HOUR);
  pass(MINUTE);
  expect(jumps).toEqual([{ from: NOW, to: earlier(2 * HOUR) }]);
  jump(DAY);
  expect(jumps[1]).toEqual({ from: later(MINUTE - 2 * HOUR), to: later(MINUTE + DAY) });
});

test('a clock that drifts by seconds a day has not jumped', () => {
  const { jump, pass, jumps } = setUp();
  for (let hour = 0; hour < 60 * 24; hour++) {
    pass(HOUR + 1_000);
    jump(hour * 200);
  }
  expect(jumps).toEqual([]);
});

test('does not go back with the clock of the machine, until that has caught up', () => {
  const { jump, pass, right } = setUp();
  pass(HOUR);
  expect(jump(-2 * HOUR)).toBe(later(HOUR));
  expect(pass(HOUR)).toBe(later(HOUR));
  expect(pass(2 * HOUR)).toBe(instant(right() - 2 * HOUR));
});

test('a single node follows a clock that jumped ahead, and stays there', () => {
  const { jump, pass } = setUp();
  expect(jump(2 * DAY)).toBe(later(2 * DAY));
  expect(jump(0)).toBe(later(2 * DAY));
  expect(pass(HOUR)).toBe(later(2 * DAY));
});

test('is never behind the clock of the windows in the log, nor behind a recorded admission', () => {
  const { hot, clock } = setUp();
  hot.windowsClock = advanceTo(hot.windowsClock, later(DAY));
  expect(clock.now()).toBe(later(DAY));
  clock.follow({ requestedAt: NOW, admission: { asOf: later(2 * DAY), decidedAt: position(1), v: 3 } });
  expect(clock.now()).toBe(later(2 * DAY));
});

test('goes back to the clock of the machine when an operator accepts it', () => {
  const { jump, accept, clock, right } = setUp();
  jump(365 * DAY);
  jump(0);
  accept(right());
  expect(clock.now()).toBe(right());
});

test('one of several nodes goes on as if its clock had not jumped', () => {
  const { jump, pass, clock, right } = setUp({ holdsOnJump: true });
  pass(HOUR);
  expect(jump(2 * DAY)).toBe(right());
  expect(clock.isHeld).toBe(true);
  expect(clock.heldByMs).toBe(2 * DAY);
  expect(pass(3 * HOUR)).toBe(right());
  expect(jump(3 * DAY)).toBe(right());
});

test('one of several nodes follows its clock again when it is right again or another node agrees', () => {
  const { jump, clock, right } = setUp({ holdsOnJump: true });
  jump(2 * DAY);
  jump(0);
  expect(clock.isHeld).toBe(false);
  jump(2 * DAY);
  clock.release();
  expect(clock.now()).toBe(later(2 * DAY, right()));
});

test('one of several nodes follows an accepted clock of another node, not its own', () => {
  const { jump, accept, pass, clock } = setUp({ holdsOnJump: true });
  jump(2 * DAY);
  accept(later(HOUR));
  expect(clock.now()).toBe(later(HOUR));
  expect(pass(HOUR)).toBe(later(2 * HOUR));
  accept(later(2 * DAY + HOUR));
  expect(clock.now()).toBe(later(2 * DAY + HOUR));
  expect(clock.isHeld).toBe(false);
});
