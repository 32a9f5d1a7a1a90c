import { expect, test } from 'vitest';
import { byDayOfRow, historyRows } from './historyRows.ts';

const event = (position: number) => ({ position });
const days = [
  {
    key: '0',
    title: 'Today',
    groups: [
      { key: 7, newest: event(9), events: [event(9), event(8), event(7)] },
      { key: 6, newest: event(6), events: [event(6)] },
    ],
  },
  { key: '1', title: 'Yesterday', groups: [{ key: 5, newest: event(5), events: [event(5)] }] },
];

test('lists the days, and a repetition as one row until it is unfolded', () => {
  const folded = historyRows(days, () => false);
  expect(folded.map(({ key }) => key)).toEqual(['day 0', '9', '6', 'day 1', '5']);
  expect(folded[1]).toMatchObject({ times: 3, place: 1, of: 2, group: 7 });
  const unfolded = historyRows(days, (group) => group === 7);
  expect(unfolded.map(({ key }) => key)).toEqual(['day 0', '9', '8', '7', '6', 'day 1', '5']);
  expect(unfolded[2]).toMatchObject({ times: 1, place: 2, of: 4, group: 7 });
});

test('groups neighbours by day', () => {
  expect(byDayOfRow(historyRows(days, () => false)).map(({ day, rows }) => [day, rows.length])).toEqual([
    ['0', 3],
    ['1', 2],
  ]);
});
