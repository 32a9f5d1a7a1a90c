import { describe, expect, test } from 'vitest';
import type { ClientRequest } from './clientRequest.ts';
import { createIsThisMachine, isLoopbackHost } from './isThisMachine.ts';

const request = (remoteAddress: string | undefined, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as ClientRequest;

describe('a request without a trusted proxy', () => {
  const isThisMachine = createIsThisMachine({ trustsProxyHeaders: false, trustedProxies: ['127.0.0.0/8'] });

  test.each([
    ['127.0.0.1', true],
    ['127.9.8.7', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['::FFFF:127.0.0.1', true],
    ['192.0.2.2', false],
    ['::ffff:192.0.2.2', false],
    // The bridge of Docker, over which the ports of a container are forwarded.
    ['172.17.0.1', false],
    ['fe80::1%eth0', false],
    ['fd00::2', false],
    ['::', false],
    ['127.0.0.1.example.org', false],
    ['1127.0.0.1', false],
    ['', false],
    [undefined, false],
  ])('from %s is of this machine: %s', (address, expected) => expect(isThisMachine(request(address))).toBe(expected));

  test('is not believed what X-Forwarded-For says', () => {
    expect(isThisMachine(request('192.0.2.2', '127.0.0.1'))).toBe(false);
    expect(isThisMachine(request('127.0.0.1', '203.0.113.9'))).toBe(true);
  });
});

describe('a request over a trusted proxy', () => {
  const trusted = ['127.0.0.0/8', '::1', '10.0.0.5'];
  const isThisMachine = createIsThisMachine({ trustsProxyHeaders: true, trustedProxies: trusted });

  test.each([
    ['127.0.0.1', undefined, true],
    ['127.0.0.1', '', true],
    ['127.0.0.1', '127.0.0.1', true],
    ['::ffff:127.0.0.1', '::1, ::ffff:127.0.0.1', true],
    ['127.0.0.1', '203.0.113.9', false],
    // The proxy appended the address of a client that had sent the first one.
    ['127.0.0.1', '127.0.0.1, 203.0.113.9', false],
    ['127.0.0.1', '203.0.113.9, 127.0.0.1', false],
    ['127.0.0.1', 'unknown', false],
    ['::1', '::ffff:203.0.113.9', false],
    ['10.0.0.5', '127.0.0.1', false],
    ['10.0.0.5', undefined, false],
    ['192.0.2.2', '127.0.0.1', false],
  ])('from %s for %s is of this machine: %s', (address, forwarded, expected) =>
    expect(isThisMachine(request(address, forwarded))).toBe(expected),
  );
});

test.each([
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['::1', true],
  ['0:0:0:0:0:0:0:1', true],
  ['::ffff:127.0.0.1', true],
  ['localhost', true],
  ['LOCALHOST', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.0.2.2', false],
  ['svc.example.org', false],
  ['localhost.example.org', false],
])('the host %s is reached from this machine only: %s', (host, expected) =>
  expect(isLoopbackHost(host)).toBe(expected),
);
