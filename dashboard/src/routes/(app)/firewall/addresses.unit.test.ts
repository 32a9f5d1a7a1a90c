import { expect, test } from 'vitest';
import { lockOutBy, problemOf } from './addresses.ts';

test.each(['', '192.0.2.7', ' 10.0.0.1 ', '::1', '2001:db8::7', '::ffff:192.0.2.1', 'FE80::1'])(
  '"%s" is fine',
  (text) => expect(problemOf(text)).toBeUndefined(),
);

test.each([
  ['10.0.0.0/8', /Networks/],
  ['fe80::1%eth0', /zone/],
  ['256.0.0.1', /Enter an IPv4/],
  ['10.0.0', /Enter an IPv4/],
  ['010.0.0.1', /Enter an IPv4/],
  ['example.com', /Enter an IPv4/],
  ['2001:db8::7::1', /Enter an IPv4/],
  ['1:2', /Enter an IPv4/],
])('%s is not', (text, problem) => expect(problemOf(text)).toMatch(problem));

test('an address that is there already is said to be', () =>
  expect(problemOf('10.0.0.1', ['10.0.0.1'])).toMatch(/already/));

const ME = '192.0.2.7';

test('the first address of somebody else shuts me out, my own does not', () => {
  expect(lockOutBy({ add: '10.0.0.1' }, [], ME)).toBe(true);
  expect(lockOutBy({ add: ME }, [], ME)).toBe(false);
});

test('taking mine off shuts me out, unless it was the last one', () => {
  expect(lockOutBy({ remove: ME }, [ME, '10.0.0.1'], ME)).toBe(true);
  expect(lockOutBy({ remove: ME }, [ME], ME)).toBe(false);
});

test('who is out already cannot be shut out again', () => {
  expect(lockOutBy({ add: '10.0.0.2' }, ['10.0.0.1'], ME)).toBe(false);
  expect(lockOutBy({ remove: '10.0.0.2' }, ['10.0.0.1', '10.0.0.2'], ME)).toBe(false);
});
