import { expect, test } from 'vitest';
import { addressError, wouldBlock } from './addresses.ts';

test.each(['', '192.0.2.7', ' 10.0.0.1 ', '::1', '2001:db8::7', '::ffff:192.0.2.1', 'FE80::1'])(
  'accepts "%s"',
  (text) => expect(addressError(text)).toBeUndefined(),
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
])('rejects %s', (text, problem) => expect(addressError(text)).toMatch(problem));

test('rejects an address that is already on the allowlist', () =>
  expect(addressError('10.0.0.1', ['10.0.0.1'])).toMatch(/already/));

const OWN = '192.0.2.7';

test('the first address blocks the operator unless it is their own', () => {
  expect(wouldBlock({ add: '10.0.0.1' }, [], OWN)).toBe(true);
  expect(wouldBlock({ add: OWN }, [], OWN)).toBe(false);
});

test('removing the own address blocks the operator unless the list becomes empty', () => {
  expect(wouldBlock({ remove: OWN }, [OWN, '10.0.0.1'], OWN)).toBe(true);
  expect(wouldBlock({ remove: OWN }, [OWN], OWN)).toBe(false);
});

test('does not warn operators who are already blocked', () => {
  expect(wouldBlock({ add: '10.0.0.2' }, ['10.0.0.1'], OWN)).toBe(false);
  expect(wouldBlock({ remove: '10.0.0.2' }, ['10.0.0.1', '10.0.0.2'], OWN)).toBe(false);
});
