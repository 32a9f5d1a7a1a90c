import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeJson, escapeText } from './escapeText.ts';

test.each([
  ['a line break', 'a\r\nb', 'a\\r\\nb'],
  ['an escape sequence of a terminal', '\u001b[2J\u001b]0;title\u0007', '\\u001b[2J\\u001b]0;title\\u0007'],
  ['a C1 control character', 'a\u009b31mb\u0085', 'a\\u009b31mb\\u0085'],
  ['backspace and delete', 'a\b\u007f', 'a\\u0008\\u007f'],
  ['a line separator of Unicode', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
  ['a bidirectional override', '\u202efdp.exe\u2066', '\\u202efdp.exe\\u2066'],
  ['characters without width', 'a\u200bb\ufeff\u00ad', 'a\\u200bb\\ufeff\\u00ad'],
  ['a tag beyond the basic plane', 'a\u{e0041}', 'a\\udb40\\udc41'],
  ['half of a surrogate pair', 'a\ud800b', 'a\\ud800b'],
])('writes %s as text', (_, given, written) => {
  expect(escapeText(given)).toBe(written);
});

test('leaves other text as it is', () => {
  const text = 'gpt-5.5 "quoted" \\ Grüße 模型 \u{1f600} ';
  expect(escapeText(text)).toBe(text);
});

const HOSTILE = fc.oneof(
  fc.constantFrom(...'\n\u001b\u0085\u2028\u202e\u200b\ud800"\\', '\u{e0041}'),
  fc.string({ unit: 'binary', maxLength: 1 }),
);

test('keeps the meaning of JSON', () => {
  fc.assert(
    fc.property(fc.string({ unit: HOSTILE }), (text) => {
      const json = escapeJson(JSON.stringify({ text }));
      expect(JSON.parse(json)).toEqual({ text });
      expect(json).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    }),
  );
});
