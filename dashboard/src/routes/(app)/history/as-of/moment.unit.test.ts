import { expect, test } from 'vitest';
import { atOf, type Stop, stopAt } from './moment.ts';

const stops: Stop[] = [
  { position: 3, time: '2026-01-01T00:00:00.000Z', sentence: 'first' },
  { position: 9, time: '2026-01-02T00:00:00.000Z', sentence: 'second' },
];

test.each([
  ['2', -1],
  ['3', 0],
  ['8', 0],
  ['9', 1],
  ['1000', 1],
  ['2025-12-31', -1],
  ['2026-01-01T12:00:00+01:00', 0],
  ['2026-01-02T00:00:00Z', 1],
  [null, 1],
  ['yesterday', 1],
])('the last change at %s has the index %i', (at, index) => {
  expect(stopAt(stops, at)).toBe(index);
});

test('names a stop by its position, and the start by the position before the first', () => {
  expect([atOf(stops, 1), atOf(stops, -1), atOf([], -1)]).toEqual(['9', '2', '0']);
});
