import { expect, test } from 'vitest';
import { csvLine } from './csv.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  [' =1', "' =1"],
  [' a', '" a"'],
  ['\u{200b}=1', "'\u{200b}=1"],
  ['a "b", c', '"a ""b"", c"'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['plain', 'plain'],
])('writes %j so that a spreadsheet shows it', (text, cell) => expect(csvLine([text])).toBe(cell));

test('writes numbers as they are, and nothing for what is not known', () =>
  expect(csvLine([-1, 0.5, null, 'x'])).toBe('-1,0.5,,x'));
