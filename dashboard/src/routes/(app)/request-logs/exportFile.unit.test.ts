import { expect, test } from 'vitest';
import { cell, fileName, writers } from './exportFile.ts';
import type { Entry } from './table.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', `'\tx`],
  ['\r=1', `"'\r=1"`],
  ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
])('a cell that a spreadsheet would run is made text: %j', (value, expected) => {
  expect(cell(value)).toBe(expected);
});

test.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  [' room ', '" room "'],
  [-5, '-5'],
  [0.25, '0.25'],
  [null, ''],
])('a cell holds what it was given: %j', (value, expected) => {
  expect(cell(value)).toBe(expected);
});

const entry = (request_id: string) => ({ request_id, status: '200', model: 'm' }) as Entry;

test('JSON that was written piece by piece is one list', () => {
  const { begin, rows, end } = writers.json;
  const text = begin + rows([entry('1'), entry('2')], true) + rows([entry('3')], false) + end;
  expect(JSON.parse(text).map(({ request_id }: Entry) => request_id)).toEqual(['1', '2', '3']);
  expect(JSON.parse(begin + rows([], true) + end)).toEqual([]);
});

test('a file is named after the moment it shows', () => {
  expect(fileName('csv', Date.parse('2026-11-21T22:40:59Z'))).toBe('svc-requests-2026-11-21T22-40.csv');
});
