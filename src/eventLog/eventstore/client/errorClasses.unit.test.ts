import * as library from '@eventstore/db-client';
import { expect, test } from 'vitest';
import { appendFailure, isTransient } from './failures.ts';

type ErrorType = library.ErrorType;

/** An error of the client's class, with a gRPC code and an empty raw error. */
function errorOf(type: ErrorType, code?: number): Error {
  const Class = Object.values(library).find((value) => isErrorClass(value) && new value(rawError()).type === type);
  if (!Class) throw new Error(`the client has no class for ${type}`);
  return new (Class as ErrorClass)(rawError(code));
}

interface ErrorClass {
  new (raw: object): Error & { readonly type: ErrorType };
}
const isErrorClass = (value: unknown): value is ErrorClass =>
  typeof value === 'function' &&
  value.prototype instanceof Error &&
  value.name.endsWith('Error') &&
  value.name !== 'ParseError';

/** Has every field that a class of the client reads. */
function rawError(code?: number) {
  const fields = ['stream-name', 'leader-endpoint-host', 'leader-endpoint-port', 'group-name', 'reason', 'login-name'];
  const map = Object.fromEntries(
    [
      ...fields,
      'maximum-append-size',
      'actual-version',
      'expected-version',
      'required-metadata-properties',
      'scavenge-id',
    ].map((field) => [field, '1']),
  );
  const metadata = { getMap: () => map, get: (name: string) => (map[name] === undefined ? [] : [map[name]]) };
  return { message: 'raw', code, metadata };
}

const PASSING: readonly string[] = [
  'timeout',
  'deadline-exceeded',
  'unavailable',
  'cancelled',
  'not-leader',
  'access-denied',
  'unknown',
];
const all = Object.values(library.ErrorType);

test.each(all.filter((type) => PASSING.includes(type)))('takes %s for passing, whatever its gRPC code', (type) => {
  for (const code of [undefined, 2, 9]) {
    const error = errorOf(type, code);
    if (code !== undefined) expect(isTransient(error)).toBe(true);
    expect(appendFailure(error)).toMatchObject({ kind: 'unknown' });
  }
});

test.each(all.filter((type) => !PASSING.includes(type)))('takes %s for final, whatever its gRPC code', (type) => {
  for (const code of [undefined, 9]) {
    const error = errorOf(type, code);
    expect(isTransient(error)).toBe(false);
    expect(appendFailure(error).kind).not.toBe('unknown');
  }
});

test('repeats what has a gRPC code and no class of the client, and reports it', () => {
  const error = Object.assign(new Error('9 FAILED_PRECONDITION: something new'), { code: 9 });
  expect(isTransient(error)).toBe(true);
  expect(appendFailure(error)).toMatchObject({
    kind: 'unknown',
    error: { message: expect.stringContaining('something new') },
  });
  expect(isTransient(new TypeError('a bug'))).toBe(false);
});

test.each([
  ['Received message exceeds the maximum configured message size.', 'rejected'],
  ['8 RESOURCE_EXHAUSTED: Received message larger than max (5000000 vs. 4194304)', 'rejected'],
  ['8 RESOURCE_EXHAUSTED: too many open calls', 'unknown'],
])('takes "%s" for %s', (message, kind) => {
  const error = Object.assign(errorOf(library.ErrorType.UNKNOWN, 8), { message });
  expect(appendFailure(error).kind).toBe(kind);
});

test('tells a refused stream from a refused append', () => {
  expect(appendFailure(errorOf(library.ErrorType.STREAM_DELETED, 9))).toMatchObject({
    kind: 'rejected',
    scope: 'stream',
  });
  expect(appendFailure(errorOf(library.ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED, 3))).toMatchObject({
    kind: 'rejected',
    scope: 'append',
    maxBytes: 1,
  });
});
