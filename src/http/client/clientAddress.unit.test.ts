import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type ClientAddressOptions, createClientAddress } from './clientAddress.ts';

const behindProxies: ClientAddressOptions = {
  trustsProxyHeaders: true,
  trustedProxies: ['10.0.0.0/8', '::1'],
  mode: 'first_valid',
};
const from = (remoteAddress: string, forwarded?: string | string[]) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

test('without trust the socket says who calls, whatever the header claims', () => {
  const address = createClientAddress({ ...behindProxies, trustsProxyHeaders: false });
  expect(address(from('10.0.0.1', '203.0.113.7'))).toBe('10.0.0.1');
});

test('an IPv4 address in IPv6 spelling is an IPv4 address', () => {
  expect(createClientAddress(behindProxies)(from('::ffff:192.0.2.1'))).toBe('192.0.2.1');
});

describe('behind a trusted proxy', () => {
  const address = createClientAddress(behindProxies);
  test.each([
    ['the first valid address counts', '203.0.113.7, 10.0.0.2', '203.0.113.7'],
    ['what is no address is skipped', 'unknown, _hidden, 203.0.113.7', '203.0.113.7'],
    ['IPv6 is normalised', '2001:DB8:0::1', '2001:db8::1'],
    ['without a valid address the socket counts', 'unknown', '10.0.0.1'],
    ['an empty header is no header', '', '10.0.0.1'],
  ])('%s', (_name, header, expected) => expect(address(from('10.0.0.1', header))).toBe(expected));

  test('without the header the socket counts', () => expect(address(from('10.0.0.1'))).toBe('10.0.0.1'));
});

test('a header from somebody who is not a trusted proxy is ignored', () =>
  expect(createClientAddress(behindProxies)(from('192.0.2.9', '203.0.113.7'))).toBe('192.0.2.9'));

describe('walking from the right', () => {
  const address = createClientAddress({ ...behindProxies, mode: 'rightmost_untrusted' });
  test.each([
    ['a client cannot put an address before its own', '203.0.113.7, 198.51.100.4, 10.0.0.2', '198.51.100.4'],
    ['hops of ours all the way: the outermost', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['what cannot be read ends the walk', '203.0.113.7, nonsense, 10.0.0.2', '10.0.0.2'],
    ['nothing readable: the socket', 'nonsense', '10.0.0.1'],
  ])('%s', (_name, header, expected) => expect(address(from('10.0.0.1', header))).toBe(expected));
});
