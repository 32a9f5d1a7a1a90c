import { expect, test } from 'vitest';
import { groupRepetitions } from './repetitions.ts';

const grouped = (meanings: string) =>
  groupRepetitions(
    [...meanings].map((meaning, index) => ({ position: 100 - index, meaning })),
    ({ meaning }) => meaning,
  ).map(({ key, newest, events }) => [newest.meaning, newest.position, events.length, key]);

test('neighbours that say the same are one group, in their order', () => {
  expect(grouped('aaba')).toEqual([
    ['a', 100, 2, 99],
    ['b', 98, 1, 98],
    ['a', 97, 1, 97],
  ]);
  expect(grouped('')).toEqual([]);
});

test('a group keeps its key while newer events join it', () => {
  const older = [{ position: 7 }, { position: 6 }];
  const [before] = groupRepetitions(older, () => 'same');
  const [after] = groupRepetitions([{ position: 9 }, ...older], () => 'same');
  expect([before?.key, after?.key, after?.events.length]).toEqual([6, 6, 3]);
});
