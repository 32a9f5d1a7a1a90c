import { expect, test } from 'vitest';
import { FIGURE_PERIODS } from '../../../projections/figures.ts';
import { endOf, startOf } from '../../../projections/periods.ts';
import { seededRandom } from '../../../test/support/random.ts';
import { instant } from '../../domain/core/brands.ts';
import { type TotalRow, TotalRows } from './totalRows.ts';

const BEGIN = Date.UTC(2026, 8, 20);
const SPAN_MS = 60 * 86_400_000;

test('has the rows of the snapshot that a query reads, whatever was read and written before and meanwhile', () => {
  const random = seededRandom(4);
  const moment = () => instant(BEGIN + Math.floor(random() * SPAN_MS));
  const period = () => FIGURE_PERIODS[Math.floor(random() * FIGURE_PERIODS.length)] as (typeof FIGURE_PERIODS)[number];
  const file = new Map(FIGURE_PERIODS.map((each) => [each, new Map<number, TotalRow>()]));
  const totals = new TotalRows();
  let number = 0;
  const write = () => {
    const own = period();
    const start = startOf(own, moment());
    file.get(own)?.set(start, [start, number++]);
    totals.forget(own, start);
  };
  let reads = 0;
  for (let round = 0; round < 3_000; round++) {
    for (let count = Math.floor(random() * 4); count > 0; count--) write();
    const own = period();
    const from = startOf(own, moment());
    const to =
      random() < 0.1 ? instant(BEGIN + SPAN_MS) : endOf(own, startOf(own, instant(from + random() * 5 * 86_400_000)));
    const snapshot = [...(file.get(own) ?? [])].map(([, row]) => row).sort((a, b) => a[0] - b[0]);
    const within = (first: number, end: number) => snapshot.filter(([start]) => first <= start && start < end);
    const found: TotalRow[] = [];
    const rows = totals.in(own, from, to, totals.writes, (first, end) => {
      reads++;
      return within(first, end);
    });
    for (const row of rows) {
      found.push(row);
      // As between two turns of a breakdown.
      if (random() < 0.02) write();
    }
    expect(found).toEqual(within(from, to));
    if (random() < 0.01) totals.clear();
  }
  expect(reads).toBeGreaterThan(500);
});

test('reads a range once while none of its rows is written', () => {
  const totals = new TotalRows();
  let reads = 0;
  const read = () => {
    reads++;
    return [[BEGIN, 1]] as TotalRow[];
  };
  const all = () => [...totals.in('hour', instant(BEGIN), instant(BEGIN + 86_400_000), totals.writes, read)];
  expect([all(), all()]).toEqual([[[BEGIN, 1]], [[BEGIN, 1]]]);
  expect(reads).toBe(1);
  totals.forget('hour', instant(BEGIN + 3_600_000));
  all();
  expect(reads).toBe(2);
  totals.forget('quarter', instant(BEGIN));
  all();
  expect(reads).toBe(2);
});
