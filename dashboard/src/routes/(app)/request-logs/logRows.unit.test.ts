import { expect, test } from 'vitest';
import { type Entry, mergeRows, renderedRows, toneOf } from './logRows.ts';

const row = (request_id: string, minute: number, position = minute) =>
  ({ request_id, position, requested_at: new Date(minute * 60_000).toISOString() }) as Entry;
const ids = (rows: readonly Entry[]) => rows.map(({ request_id }) => request_id).join('');

test('renders the rows in view and keeps the height of the others', () => {
  const part = renderedRows(1_000_000, 40, { top: 400_000, height: 800 });
  expect(part).toEqual({ first: 9_986, end: 10_034, above: 9_986 * 40, below: (1_000_000 - 10_034) * 40 });
  expect(part.above + (part.end - part.first) * 40 + part.below).toBe(40_000_000);
});

test('renders no rows beyond either end', () => {
  expect(renderedRows(5, 40, { top: 0, height: 800 })).toEqual({ first: 0, end: 5, above: 0, below: 0 });
  expect(renderedRows(0, 40, { top: 0, height: 800 })).toEqual({ first: 0, end: 0, above: 0, below: 0 });
  expect(renderedRows(100, 40, { top: 999_999, height: 800 })).toEqual({
    first: 100,
    end: 100,
    above: 4_000,
    below: 0,
  });
});

test('merges rows in order without duplicates', () => {
  const rows = [row('c', 3), row('a', 1)];
  expect(ids(mergeRows(rows, [row('d', 4), row('c', 3), row('b', 2)]))).toBe('dcba');
  expect(ids(mergeRows(rows, [row('x', 3, 7)]))).toBe('xca');
});

test('returns the same array when nothing is new', () => {
  const rows = [row('a', 1)];
  expect(mergeRows(rows, [row('a', 1)])).toBe(rows);
});

test('client errors are warnings, server errors are bad', () => {
  expect(['200', '429', '502', 'error'].map(toneOf)).toEqual(['good', 'warn', 'bad', 'bad']);
});
