import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createIsHttps } from './isHttps.ts';

const request = (remoteAddress: string, proto?: string, encrypted = false) =>
  ({ socket: { remoteAddress, encrypted }, headers: { 'x-forwarded-proto': proto } }) as unknown as IncomingMessage;
const isHttps = createIsHttps({ trustsProxyHeaders: true, trustedProxies: ['10.0.0.0/8', '::1'] });

test.each([
  ['10.0.0.1', 'https', true],
  ['::ffff:10.0.0.1', 'HTTPS', true],
  ['::1', 'https, http', true],
  ['10.0.0.1', 'http', false],
  ['10.0.0.1', 'http, https', false],
  ['10.0.0.1', undefined, false],
  ['203.0.113.9', 'https', false],
])('a connection from %s with X-Forwarded-Proto %s: %s', (address, proto, expected) =>
  expect(isHttps(request(address, proto))).toBe(expected),
);

test('is true for an encrypted socket', () => expect(isHttps(request('203.0.113.9', 'http', true))).toBe(true));

test('ignores headers unless they are trusted', () => {
  const trustsNone = createIsHttps({ trustsProxyHeaders: false, trustedProxies: ['10.0.0.0/8'] });
  expect(trustsNone(request('10.0.0.1', 'https'))).toBe(false);
});
