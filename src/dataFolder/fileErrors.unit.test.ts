import { expect, test } from 'vitest';
import { isFileError, remedyFor } from './fileErrors.ts';

const errorWith = (fields: object) => Object.assign(new Error('raw'), fields);

test.each([
  ['a full disk', { errno: -28, code: 'ENOSPC' }, /^Make room/],
  ['a full disk, as SQLite says it', { code: 'ERR_SQLITE_ERROR', errcode: 13 }, /^Make room/],
  ['a damaged file', { code: 'ERR_SQLITE_ERROR', errcode: 11 | (1 << 8) }, /damaged/],
  ['no file of SQLite', { code: 'ERR_SQLITE_ERROR', errcode: 26 }, /damaged/],
  ['a file of somebody else', { errno: -13, code: 'EACCES' }, /^otherwise$/],
])('%s', (_what, fields, advice) => {
  expect(remedyFor(errorWith(fields), 'otherwise')).toMatch(advice);
  expect(isFileError(errorWith(fields))).toBe(true);
});

test('a mistake of ours is not of the file', () => expect(isFileError(new TypeError('x'))).toBe(false));
