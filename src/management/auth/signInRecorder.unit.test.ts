import { expect, test, vi } from 'vitest';
import { collectFaults } from '../../../test/support/collectFaults.ts';
import { type Instant, instant, position } from '../../domain/core/brands.ts';
import type { EventToAppend } from '../../eventLog/eventLog.ts';
import { SignInRecorder } from './signInRecorder.ts';

const MINUTE_MS = 60_000;
const NOON = instant(Date.UTC(2026, 10, 21, 12));

function stage() {
  const clock: { now: Instant } = { now: NOON };
  const recorded: EventToAppend[] = [];
  const lines: string[] = [];
  const faults = collectFaults(lines);
  const signIns = new SignInRecorder({
    async record(event) {
      recorded.push(event);
      return position(recorded.length);
    },
    hot: { whenFolded: async () => {} },
    now: () => clock.now,
    report: (error) => {
      throw error;
    },
    faults,
  });
  const counted = () =>
    recorded.map(({ data }) => {
      const { address, minute, count } = data as { address: string; minute: number; count: number };
      return [address, (minute - NOON) / MINUTE_MS, count];
    });
  return { clock, signIns, counted, faults, lines };
}

test('counts attempts of a new minute while the last one is being recorded', async () => {
  const { clock, signIns, counted } = stage();
  for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.2']) signIns.throttled(address);
  clock.now = instant(NOON + MINUTE_MS);
  signIns.throttled('10.0.0.2');
  await signIns.stop();
  expect(counted()).toEqual([
    ['10.0.0.1', 0, 1],
    ['10.0.0.2', 0, 2],
    ['10.0.0.2', 1, 1],
  ]);
});

test('records no address of attempts in the name of an operator, who may be forgotten', async () => {
  const { signIns, counted } = stage();
  signIns.throttled('10.0.0.1', 'op_1');
  signIns.throttled('10.0.0.2');
  await signIns.stop();
  expect(counted()).toEqual([
    ['others', 0, 1],
    ['10.0.0.2', 0, 1],
  ]);
});

test('records attempts once when the clock is set back', async () => {
  const { clock, signIns, counted } = stage();
  signIns.throttled('10.0.0.1');
  clock.now = instant(NOON - 5 * MINUTE_MS);
  signIns.throttled('10.0.0.1');
  await signIns.stop();
  expect(counted()).toEqual([
    ['10.0.0.1', 0, 1],
    ['10.0.0.1', -5, 1],
  ]);
});

test('counts addresses beyond ten thousand per minute together', async () => {
  const { signIns, counted } = stage();
  for (let n = 0; n < 10_002; n++) signIns.throttled(`address ${n}`);
  signIns.throttled('address 0');
  await signIns.stop();
  expect(counted()).toHaveLength(10_001);
  expect(counted()[0]).toEqual(['address 0', 0, 2]);
  expect(counted().at(-1)).toEqual(['others', 0, 2]);
});

test('says once that sign-ins are throttled, names the last address, and when it is over', () => {
  vi.useFakeTimers();
  const { signIns, faults, lines } = stage();
  for (let count = 0; count < 100; count += 1) signIns.throttled(`203.0.113.${count}`);
  expect(lines).toHaveLength(1);
  expect(faults.current).toMatchObject([
    { code: 'sign_ins_throttled', cause: expect.stringContaining('203.0.113.99') },
  ]);
  vi.advanceTimersByTime(2 * MINUTE_MS);
  expect(faults.current).toEqual([]);
  expect(lines).toHaveLength(2);
  vi.useRealTimers();
});
