import { expect, test } from 'vitest';
import { REDACTED, redact, toJson } from '../../../domain/core/redact.ts';
import { difference } from './difference.ts';

test.each([
  ['finds no difference between equal objects', { a: 1 }, { a: 1 }, []],
  [
    'names a nested field by its path',
    { a: { b: 1, c: 2 } },
    { a: { b: 1, c: 3 } },
    [{ path: '/a/c', before: 2, after: 3 }],
  ],
  ['shows null before a creation', null, { a: 1 }, [{ path: '', before: null, after: { a: 1 } }]],
  ['shows null after a deletion', { a: 1 }, null, [{ path: '', before: { a: 1 }, after: null }]],
  ['compares lists as a whole', { a: [1, 2] }, { a: [1] }, [{ path: '/a', before: [1, 2], after: [1] }]],
  ['escapes slashes and tildes in names', { 'a/b~c': 1 }, {}, [{ path: '/a~1b~0c', before: 1, after: null }]],
  ['redacts a secret', { hash: 'x' }, { hash: 'y' }, [{ path: '/hash', before: REDACTED, after: REDACTED }]],
  [
    'redacts a secret that was added',
    { email: null },
    { email: 'sealed.x' },
    [{ path: '/email', before: null, after: REDACTED }],
  ],
])('%s', (_what, before, after, changes) => expect(difference(before, after)).toEqual(changes));

test('converts folded state to JSON', () =>
  expect(toJson({ map: new Map([['a', { b: undefined }]]), list: [undefined, 1] })).toEqual({
    map: { a: { b: null } },
    list: [null, 1],
  }));

test('finds secrets by name and format at any depth', () => {
  const hash = 'a'.repeat(64);
  expect(
    redact({
      to: { hash: 'short', prefix: 'sk-svc-1' },
      pin: { digest: 'd' },
      list: ['sealed.1', hash, 'plain'],
    }),
  ).toEqual({
    to: { hash: REDACTED, prefix: 'sk-svc-1' },
    pin: { digest: REDACTED },
    list: [REDACTED, REDACTED, 'plain'],
  });
});

test('shows the hashes of trees and files, and hides a sealed value in their place', () => {
  const root = 'ab'.repeat(32);
  expect(redact({ root, file: { sha256: root }, seal: root })).toEqual({ root, file: { sha256: root }, seal: root });
  expect(redact({ root: 'sealed.value', keyHash: root })).toEqual({ root: '[hidden]', keyHash: '[hidden]' });
});
