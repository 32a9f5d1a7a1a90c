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

test('ignores the header without trusted proxies', () => {
  const address = createClientAddress({ ...behindProxies, trustsProxyHeaders: false });
  expect(address(from('10.0.0.1', '203.0.113.7'))).toBe('10.0.0.1');
});

test('normalises an IPv4-mapped IPv6 address', () => {
  expect(createClientAddress(behindProxies)(from('::ffff:192.0.2.1'))).toBe('192.0.2.1');
});

describe('behind a trusted proxy', () => {
  const address = createClientAddress(behindProxies);
  test.each([
    ['uses the first valid address', '203.0.113.7, 10.0.0.2', '203.0.113.7'],
    ['skips invalid addresses', 'unknown, _hidden, 203.0.113.7', '203.0.113.7'],
    ['normalises IPv6', '2001:DB8:0::1', '2001:db8::1'],
    ['uses the socket without a valid address', 'unknown', '10.0.0.1'],
    ['uses the socket with an empty header', '', '10.0.0.1'],
  ])('%s', (_name, header, expected) => expect(address(from('10.0.0.1', header))).toBe(expected));

  test('uses the socket without the header', () => expect(address(from('10.0.0.1'))).toBe('10.0.0.1'));
});

test('ignores the header of an untrusted proxy', () =>
  expect(createClientAddress(behindProxies)(from('192.0.2.9', '203.0.113.7'))).toBe('192.0.2.9'));

describe('rightmost_untrusted', () => {
  const address = createClientAddress({ ...behindProxies, mode: 'rightmost_untrusted' });
  test.each([
    ['ignores addresses that the client prepended', '203.0.113.7, 198.51.100.4, 10.0.0.2', '198.51.100.4'],
    ['uses the outermost of only trusted hops', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['stops at an invalid hop', '203.0.113.7, nonsense, 10.0.0.2', '10.0.0.2'],
    ['uses the socket without a valid hop', 'nonsense', '10.0.0.1'],
  ])('%s', (_name, header, expected) => expect(address(from('10.0.0.1', header))).toBe(expected));
});
