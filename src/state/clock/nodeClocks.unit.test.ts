import { expect, test } from 'vitest';
import { HOUR, MINUTE, NOW } from '../../../test/support/specification.ts';
import { NodeClocks } from './nodeClocks.ts';

const reading = (byMs: number, isHeld = false, node = 'b') => ({ node, time: NOW + byMs, isHeld });
const compared = (...readings: ReturnType<typeof reading>[]) => {
  const clocks = new NodeClocks(() => NOW);
  for (const each of readings) clocks.onReading(each);
  return clocks.compare(['b', 'c']);
};

test('a clock within a minute agrees', () => {
  expect(compared(reading(-MINUTE), reading(MINUTE, false, 'c'))).toMatchObject({
    agreeing: 2,
    differing: 0,
    nodes: [],
  });
});

test('one entry shows a clock that is ahead, since a delay only hides it', () => {
  expect(compared(reading(HOUR))).toMatchObject({ differing: 1, behind: 0, nodes: [{ node: 'b', byMs: HOUR }] });
});

test('a clock is behind when three entries in a row say so, by the least of them', () => {
  expect(compared(reading(-HOUR), reading(-HOUR))).toMatchObject({ differing: 0, agreeing: 0, nodes: [] });
  const found = compared(reading(-2 * HOUR), reading(-HOUR), reading(-3 * HOUR));
  expect(found).toMatchObject({ differing: 1, behind: 1, nodes: [{ node: 'b', byMs: -HOUR }] });
  expect(compared(reading(-HOUR), reading(-HOUR), reading(-HOUR), reading(0))).toMatchObject({
    agreeing: 1,
    nodes: [],
  });
});

test('nodes that do not follow their clock are named and counted apart', () => {
  expect(compared(reading(HOUR, true), reading(0, true, 'c'))).toEqual({
    agreeing: 0,
    agreeingHeld: 1,
    differing: 0,
    behind: 0,
    nodes: [{ node: 'b', byMs: HOUR }],
  });
});

test('forgets nodes that are gone, and all when its own clock jumped', () => {
  const clocks = new NodeClocks(() => NOW);
  clocks.onReading(reading(HOUR));
  expect(clocks.compare([])).toMatchObject({ nodes: [] });
  clocks.onReading(reading(HOUR));
  clocks.clear();
  expect(clocks.compare(['b'])).toMatchObject({ nodes: [] });
});
