import { expect, test } from 'vitest';
import { type Entry, merged, toneOf, windowOf } from './table.ts';

const row = (request_id: string, minute: number, position = minute) =>
  ({ request_id, position, requested_at: new Date(minute * 60_000).toISOString() }) as Entry;
const ids = (rows: readonly Entry[]) => rows.map(({ request_id }) => request_id).join('');

test('only the rows in sight and some around them are drawn, the others leave their room', () => {
  const part = windowOf(1_000_000, 40, { top: 400_000, height: 800 });
  expect(part).toEqual({ first: 9_986, end: 10_034, above: 9_986 * 40, below: (1_000_000 - 10_034) * 40 });
  expect(part.above + (part.end - part.first) * 40 + part.below).toBe(40_000_000);
});

test('at both ends nothing is drawn that does not exist', () => {
  expect(windowOf(5, 40, { top: 0, height: 800 })).toEqual({ first: 0, end: 5, above: 0, below: 0 });
  expect(windowOf(0, 40, { top: 0, height: 800 })).toEqual({ first: 0, end: 0, above: 0, below: 0 });
  expect(windowOf(100, 40, { top: 999_999, height: 800 })).toEqual({ first: 100, end: 100, above: 4_000, below: 0 });
});

test('rows of another answer stand where they belong, each once', () => {
  const rows = [row('c', 3), row('a', 1)];
  expect(ids(merged(rows, [row('d', 4), row('c', 3), row('b', 2)]))).toBe('dcba');
  expect(ids(merged(rows, [row('x', 3, 7)]))).toBe('xca');
});

test('an answer with nothing new leaves the list as it is', () => {
  const rows = [row('a', 1)];
  expect(merged(rows, [row('a', 1)])).toBe(rows);
});

test('what a client did wrong is a warning, what went wrong with us or the provider is bad', () => {
  expect(['200', '429', '502', 'error'].map(toneOf)).toEqual(['good', 'warn', 'bad', 'bad']);
});
