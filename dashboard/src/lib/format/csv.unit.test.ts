import { expect, test } from 'vitest';
import { cell } from './csv.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', `'\tx`],
  ['\r=1', `"'\r=1"`],
  [' =1', "' =1"],
  ['\u{200b}=1', "'\u{200b}=1"],
  ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
])('turns a formula into text: %j', (value, expected) => {
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
])('writes a cell by RFC 4180: %j', (value, expected) => {
  expect(cell(value)).toBe(expected);
});
