import { expect, test } from 'vitest';
import { type Entry, mergeRows, toneOf } from './logRows.ts';

const row = (request_id: string, minute: number, position = minute) =>
  ({ request_id, position, requested_at: new Date(minute * 60_000).toISOString() }) as Entry;
const ids = (rows: readonly Entry[]) => rows.map(({ request_id }) => request_id).join('');

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
