import { expect, test } from 'vitest';
import { seededRandom } from '../../../test/support/random.ts';
import { instant } from '../../domain/core/brands.ts';
import { StepTotals } from './stepTotals.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LENGTHS = [HOUR, DAY, 3 * DAY];
const DAYS = 12;

test('knows what a step has now, whatever was written since it was found', () => {
  const random = seededRandom(6);
  const pick = (count: number) => Math.floor(random() * count);
  const totals = new StepTotals();
  /** The number of the last write of each hour. */
  const file = new Array<number>(DAYS * 24).fill(0);
  const totalOf = (hours: readonly number[], from: number, lengthMs: number) =>
    hours.slice(from / HOUR, (from + lengthMs) / HOUR).reduce((sum, own) => sum + own, 0);
  let hits = 0;
  for (let round = 0; round < 5_000; round++) {
    const lengthMs = LENGTHS[pick(3)] as number;
    const from = pick(file.length - lengthMs / HOUR) * HOUR;
    const [snapshot, writes] = [[...file], totals.writes];
    const write = () => {
      const hour = pick(file.length);
      file[hour] = round;
      totals.forget(instant(hour * HOUR));
    };
    if (random() < 0.5) {
      const known = totals.get(from, lengthMs);
      if (known) hits++;
      if (known) expect(known[0]).toBe(totalOf(file, from, lengthMs));
    }
    // As between two turns of a breakdown.
    if (random() < 0.1) write();
    if (random() < 0.005) totals.clear();
    totals.keep(from, lengthMs, Float64Array.of(totalOf(snapshot, from, lengthMs)), writes);
  }
  expect(hits).toBeGreaterThan(50);
});

test('keeps no more steps than it may', () => {
  const totals = new StepTotals(3);
  for (let step = 0; step < 4; step++) totals.keep(step * HOUR, HOUR, Float64Array.of(step), 0);
  expect([0, 1, 2, 3].map((step) => totals.get(step * HOUR, HOUR)?.[0])).toEqual([undefined, undefined, undefined, 3]);
});
