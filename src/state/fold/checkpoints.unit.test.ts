import { expect, test } from 'vitest';
import { type Instant, instant, position } from '../../domain/core/brands.ts';
import { IpAllowed, IpRevoked } from '../../domain/firewall/events.ts';
import type { IpAddress } from '../../domain/firewall/ipAddress.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { Checkpoints, copyState } from './checkpoints.ts';
import { HotState } from './hotState.ts';

const allowed = (at: number, time = at): RecordedEvent =>
  ({
    ...IpAllowed({ ip: `10.0.0.${at % 5}` as IpAddress }),
    position: position(at),
    time: instant(time),
    stream: 'firewall-main',
    revision: at - 1,
  }) as RecordedEvent;

const revoked = (at: number): RecordedEvent =>
  ({ ...allowed(at), ...IpRevoked({ ip: `10.0.0.${at % 5}` as IpAddress }) }) as RecordedEvent;

function folded(events: number, spacing: number, timeOf = (at: number) => at) {
  const state = new HotState();
  const checkpoints = new Checkpoints(spacing);
  for (let at = 1; at <= events; at++) {
    const event = allowed(at, timeOf(at));
    state.apply(event);
    checkpoints.onFolded(state, event);
  }
  return checkpoints;
}

test('finds the last checkpoint at or before a position', () => {
  const checkpoints = folded(10, 3);
  expect([0, 2, 3, 5, 6, 8, 9, 100].map((at) => checkpoints.atPosition(position(at)).state.position)).toEqual([
    0, 0, 3, 3, 6, 6, 9, 9,
  ]);
});

test('finds the last checkpoint up to which no event is later, even when clocks lag', () => {
  const checkpoints = folded(6, 1, (at) => [100, 300, 200, 250, 400, 350][at - 1] ?? 0);
  const at = (time: number) => checkpoints.atTime(time as Instant).checkpoint.state.position;
  expect([50, 100, 250, 299, 300, 399, 400].map(at)).toEqual([0, 1, 1, 1, 4, 4, 6]);
  expect(checkpoints.latest).toBe(400);
});

test('a checkpoint does not change while the fold continues', () => {
  const checkpoints = folded(10, 2);
  expect(checkpoints.atPosition(position(2)).state.firewall.size).toBe(2);
});

test('gives each state as it was, also those that are kept as changes', () => {
  const state = new HotState();
  const checkpoints = new Checkpoints(3);
  const wanted: string[] = [];
  for (let at = 1; at <= 90; at++) {
    const event = at % 7 === 0 ? revoked(at) : allowed(at);
    state.apply(event);
    checkpoints.onFolded(state, event);
    if (at % 3 === 0) wanted.push(JSON.stringify([at, ...state.firewall]));
  }
  const { kept } = checkpoints.parts;
  // Twice, since what is read must not change what is kept.
  for (const _ of [1, 2]) {
    const read = kept.map((checkpoint) => checkpoint.read() as HotState);
    expect(read.map(({ position, firewall }) => JSON.stringify([position, ...firewall]))).toEqual(wanted);
    for (const each of read) copyState(each).apply(allowed(each.position + 1));
  }
});

test('bounds the number of checkpoints and their distance for a log of any length', () => {
  const checkpoints = folded(20_000, 1);
  const positions = new Set(checkpoints.upTo(position(20_000)).map(({ position: at }) => at));
  expect(positions.size).toBeLessThanOrEqual(5_001);
  expect(positions.size).toBeGreaterThan(2_400);
  const gaps = [...positions].sort((a, b) => a - b).map((at, index, all) => at - (all[index - 1] ?? 0));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(8);
});
