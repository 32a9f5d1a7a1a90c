import { describe, expect, test } from 'vitest';
import { parseOutgoingProxy } from './outgoingProxy.ts';
import { createProxyChoice } from './proxySettings.ts';

test.each([
  ['http://proxy.test:3128', 'http', 'proxy.test', 3128],
  ['http://proxy.test', 'http', 'proxy.test', 80],
  ['HTTP://Proxy.Test:3128/', 'http', 'proxy.test', 3128],
  ['https://proxy.test', 'https', 'proxy.test', 443],
  ['socks5://proxy.test', 'socks5', 'proxy.test', 1080],
  ['socks5h://[::1]:9050', 'socks5', '::1', 9050],
  ['socks://10.0.0.1:1080', 'socks5', '10.0.0.1', 1080],
  ['proxy.test:3128', 'http', 'proxy.test', 3128],
  ['10.0.0.1:3128', 'http', '10.0.0.1', 3128],
  ['a1', 'http', 'a1', 80],
])('reads %s', (address, protocol, host, port) =>
  expect(parseOutgoingProxy(address)).toEqual({
    protocol,
    host,
    port,
    credentials: undefined,
    name: `${host.includes(':') ? `[${host}]` : host}:${port}`,
  }),
);

test.each([
  ['http://user:pass@proxy.test', { username: 'user', password: 'pass' }],
  ['user:pass@proxy.test:3128', { username: 'user', password: 'pass' }],
  ['http://user@proxy.test', { username: 'user', password: '' }],
  ['http://us%20er:p%40ss%3Aw%25@proxy.test', { username: 'us er', password: 'p@ss:w%' }],
  ['socks5://%C3%A9:x@proxy.test', { username: 'é', password: 'x' }],
])('reads the credentials of %s', (address, credentials) => {
  const proxy = parseOutgoingProxy(address);
  expect(proxy.credentials).toEqual(credentials);
  expect(proxy.name).not.toContain('@');
});

test.each([
  ['', 'must be the address'],
  ['http://', 'must be the address'],
  ['ftp://proxy.test', 'must be the address'],
  ['socks4://proxy.test', 'must be the address'],
  ['socks5:proxy.test', 'must be the address'],
  ['http://secret word@proxy.test', 'must be the address'],
  ['http://user:secret@proxy.test:99999', 'must be the address'],
  ['http://user:secret@proxy.test:0', 'must not have the port 0'],
  ['http://user:secret@proxy.test/path', 'must end after the port'],
  ['http://user:secret@proxy.test?x', 'must end after the port'],
  ['http://user:secret%zz@proxy.test', 'invalid %-escape'],
  ['http://us%3Aer:secret@proxy.test', 'user name with a colon'],
  [`socks5://user:${'secret'.repeat(43)}@proxy.test`, 'more than 255 bytes'],
  [`http://user:${'secret'.repeat(400)}@proxy.test`, 'at most 2048 characters'],
])('refuses %s and does not quote it', (address, problem) => {
  expect(() => parseOutgoingProxy(address)).toThrow(problem);
  expect(() => parseOutgoingProxy(address)).not.toThrow(/secret/);
});

describe('which proxy the environment sets', () => {
  const chosen = (settings: Parameters<typeof createProxyChoice>[0], url: string) =>
    createProxyChoice(settings)(new URL(url))?.name;
  const both = { HTTPS_PROXY: 'http://secure:1', HTTP_PROXY: 'http://plain:1' };

  test.each([
    [{}, 'https://chatgpt.com', undefined],
    [both, 'https://chatgpt.com', 'secure:1'],
    [both, 'http://chatgpt.com', 'plain:1'],
    [{ HTTP_PROXY: 'http://plain:1' }, 'https://chatgpt.com', undefined],
    [{ ...both, NO_PROXY: 'chatgpt.com' }, 'https://chatgpt.com', undefined],
    [{ ...both, NO_PROXY: 'chatgpt.com' }, 'https://auth.openai.com', 'secure:1'],
    [{ ...both, SVC_PROXY_URL: 'socks5://own:1' }, 'https://chatgpt.com', 'own:1'],
    [{ SVC_PROXY_URL: 'socks5://own:1' }, 'http://127.0.0.1', 'own:1'],
    [{ SVC_PROXY_URL: 'socks5://own:1', NO_PROXY: '*' }, 'https://chatgpt.com', 'own:1'],
    [both, 'http://127.0.0.1:8080', 'plain:1'],
  ])('%j, %s: %s', (settings, url, expected) => expect(chosen(settings, url)).toBe(expected));

  test('gives the same object for every call', () => {
    const choose = createProxyChoice(both);
    expect(choose(new URL('https://a.test'))).toBe(choose(new URL('https://b.test')));
  });
});
