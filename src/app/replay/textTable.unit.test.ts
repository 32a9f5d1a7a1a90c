import { expect, test } from 'vitest';
import { textTable } from './textTable.ts';

test('aligns texts to the left and figures to the right', () =>
  expect(
    textTable(
      ['name', 'count'],
      [
        ['a', '1,000'],
        ['long name', '2'],
      ],
      1,
    ),
  ).toEqual(['name       count', 'a          1,000', 'long name      2']));

test('escapes what would move the cursor, and cuts what is too long', () => {
  const [, first = '', second = ''] = textTable(
    ['name', 'count'],
    [
      ['\u001b[2J', '1'],
      ['x'.repeat(500), '2'],
    ],
    1,
  );
  expect(first).toContain('\\u001b[2J');
  expect(first).toHaveLength(second.length);
  expect(second).toMatch(/^x{41}\.\.\. +2$/);
});
