import { expect, test } from 'vitest';
import { isFileError, remedyFor, remedyWhileRunning } from './fileErrors.ts';

const errorWith = (fields: object) => Object.assign(new Error('raw'), fields);

test.each([
  ['a full disk', { errno: -28, code: 'ENOSPC' }, /^Make room/],
  ['a full disk, reported by SQLite', { code: 'ERR_SQLITE_ERROR', errcode: 13 }, /^Make room/],
  ['a disk that fails', { code: 'ERR_SQLITE_ERROR', errcode: 10 | (17 << 8) }, /^Check its disk.*start svc again/],
  ['a damaged file', { code: 'ERR_SQLITE_ERROR', errcode: 11 | (1 << 8) }, /damaged/],
  ['a file that is no database', { code: 'ERR_SQLITE_ERROR', errcode: 26 }, /damaged/],
  ['a file of another user', { errno: -13, code: 'EACCES' }, /^fallback$/],
])('names the remedy for %s', (_what, fields, advice) => {
  expect(remedyFor(errorWith(fields), 'fallback')).toMatch(advice);
  expect(isFileError(errorWith(fields))).toBe(true);
});

test.each([
  ['a full disk', 13, 'Make room on its disk. svc tries again.'],
  ['a disk that fails', 10, 'Check its disk, and whether it has room. svc tries again.'],
  ['another cause', 14, 'svc tries again.'],
])('does not ask for a start where svc tries again after %s', (_what, errcode, remedy) =>
  expect(remedyWhileRunning(errorWith({ errcode }), 'svc tries again.')).toBe(remedy),
);

test('does not treat an error of our own code as a file error', () =>
  expect(isFileError(new TypeError('x'))).toBe(false));
