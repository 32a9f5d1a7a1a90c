import { expect, test } from 'vitest';
import { sharedManagement, startManagement } from '../../../test/support/management.ts';
import type { Sealed } from '../../domain/core/brands.ts';

let address: string | undefined;
const shared = sharedManagement({ connection: { remoteAddress: ({ socket }) => address ?? socket.remoteAddress } });
/** The shared management, with requests from this address. */
const calledFrom = (client?: string) => {
  address = client;
  return shared();
};

test('serves health to clients of any address', async () => {
  const { call } = calledFrom('203.0.113.9');
  const { status, body } = await call('GET', '/health');
  expect([status, body]).toEqual([200, { status: 'ok' }]);
});

test.each([
  ['a remote address', '203.0.113.9', {}, 'your address is 203.0.113.9'],
  ['an address of the local network', '192.168.1.5', {}, 'your address is 192.168.1.5'],
  ['a forwarded request', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, 'header x-forwarded-for'],
  ['a forwarded protocol', '127.0.0.1', { 'x-forwarded-proto': 'https' }, 'header x-forwarded-proto'],
  ['the Forwarded header', '127.0.0.1', { forwarded: 'for=127.0.0.1' }, 'header forwarded'],
  ['a Via header', '127.0.0.1', { via: '1.1 proxy' }, 'header via'],
  ['an X-Real-IP header', '127.0.0.1', { 'x-real-ip': '127.0.0.1' }, 'header x-real-ip'],
  ['a Cloudflare header', '127.0.0.1', { 'cf-connecting-ip': '203.0.113.9' }, 'header cf-connecting-ip'],
  ['a foreign Host (DNS rebinding)', '127.0.0.1', { host: 'evil.example:2455' }, 'Host "evil.example:2455"'],
  ['a Host that starts like an address', '127.0.0.1', { host: '127.0.0.1.evil.example' }, 'Host "127.0.0.1.evil'],
])('refuses %s without a password, with the reason', async (_name, client, headers, reason) => {
  const { call } = calledFrom(client);
  const { status, body } = await call('GET', '/api/accounts', { headers });
  expect(status).toBe(401);
  expect(body).toEqual({
    error: { code: 'authentication_required', message: expect.stringContaining(reason) },
  });
});

test('uses the code unauthorized on settings', async () => {
  const { call } = calledFrom('203.0.113.9');
  for (const [method, path] of [
    ['GET', '/api/settings'],
    ['PUT', '/api/settings/'],
  ] as const) {
    const { status, body } = await call(method, path, { body: {} });
    expect([status, body.error.code]).toEqual([401, 'unauthorized']);
  }
});

test('hides from unauthenticated clients which paths exist', async () => {
  const { call } = calledFrom('203.0.113.9');
  for (const path of ['/api/nothing', '/api/api-keys/x', '/nothing']) {
    expect((await call('GET', path)).status).toBe(401);
  }
});

test.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('treats %s as this machine', async (client) => {
  const { call } = calledFrom(client);
  expect((await call('GET', '/api/settings')).status).toBe(200);
});

test.each(['localhost', 'localhost:2455', 'LOCALHOST', '127.0.0.1:2455', '[::1]:2455', '10.0.0.7'])(
  'trusts the Host %s',
  async (host) => {
    const { call } = calledFrom();
    expect((await call('GET', '/api/settings', { headers: { host } })).status).toBe(200);
  },
);

test('refuses writes from pages of other origins', async () => {
  const { call, port, hot } = calledFrom();
  const foreign = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `http://127.0.0.1:${port + 1}` },
    { origin: 'chrome-extension://abc' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'cross-site' },
  ];
  for (const headers of foreign) {
    for (const [method, path] of [
      ['POST', '/api/firewall/ips'],
      ['DELETE', '/api/accounts/x'],
      ['PUT', '/api/settings'],
    ] as const) {
      const { status, body } = await call(method, path, { headers, body: { ip_address: '10.0.0.1' } });
      expect([status, body.error.code, JSON.stringify(headers)]).toEqual([
        403,
        'cross_origin',
        JSON.stringify(headers),
      ]);
    }
  }
  expect(hot.state.firewall.size).toBe(0);
});

test('accepts writes from its own page and from tools', async () => {
  const { call, port } = await startManagement();
  const own = [
    { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin: 'http://localhost', host: 'localhost:80' },
    {},
  ];
  for (const [index, headers] of own.entries()) {
    const body = { ip_address: `10.0.0.${index}` };
    expect((await call('POST', '/api/firewall/ips', { headers, body })).status).toBe(200);
  }
});

test('sends no CORS headers, so browsers hide responses from other origins', async () => {
  const { call } = calledFrom();
  const { status, headers } = await call('GET', '/api/settings', { headers: { origin: 'https://evil.example' } });
  expect(status).toBe(200);
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

test('responds to an unknown path with 404 in JSON', async () => {
  const { call } = calledFrom();
  for (const path of ['/api/nothing', '/api', '/api/accounts/x/frobnicate', '/API/accounts', '/api/%', '/elsewhere']) {
    const { status, body } = await call('GET', path);
    expect([status, body.error.code, path]).toEqual([404, 'not_found', path]);
  }
});

test('responds to an unsupported method with 405 and Allow', async () => {
  const { call } = calledFrom();
  const { status, headers, body } = await call('PUT', '/api/firewall/ips', { body: {} });
  expect([status, headers.allow, body.error.code]).toEqual([405, 'HEAD, GET, POST', 'method_not_allowed']);
  const options = await call('OPTIONS', '/api/api-keys/x');
  expect([options.status, options.headers.allow]).toEqual([204, 'PATCH, DELETE']);
});

test('ignores a trailing slash', async () => {
  const { call } = calledFrom();
  for (const path of ['/api/accounts/', '/api/api-keys/', '/api/settings/', '/api/firewall/ips/', '/health/']) {
    expect([(await call('GET', path)).status, path]).toEqual([200, path]);
  }
  expect((await call('POST', '/api/accounts/x/pause/')).body.error.code).toBe('account_not_found');
});

test('gives every response its own id and disables caching', async () => {
  const { call } = calledFrom();
  const responses = [
    await call('GET', '/health'),
    await call('GET', '/api/nothing'),
    await call('GET', '/api/settings'),
  ];
  expect(new Set(responses.map(({ headers }) => headers['x-request-id'])).size).toBe(3);
  expect(responses.every(({ headers }) => headers['cache-control'] === 'no-store')).toBe(true);
});

test('reports an unexpected error and hides its details from the client', async () => {
  const secret = new Error('password of the database: hunter2');
  const { call, reported } = await startManagement({
    queries: { requestLog: { page: () => Promise.reject(secret) } as never },
  });
  const { status, body, text } = await call('GET', '/api/request-logs');
  expect([status, body.error.code]).toEqual([500, 'internal_error']);
  expect(text).not.toContain('hunter2');
  expect(reported).toEqual([secret]);
});

test('records the response id as correlation id of the events', async () => {
  const { call, log, vault } = await startManagement();
  const headers = { 'user-agent': 'the-tool/1' };
  const response = await call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.1' }, headers });
  const stored = await Array.fromAsync(log.readStream('firewall-main'));
  expect(stored[0]?.metadata).toMatchObject({
    correlationId: response.headers['x-request-id'],
    actor: {
      kind: 'operator',
      sessionId: null,
      address: expect.stringMatching(/^sealed\./),
      addressDigest: vault.digest('address', '127.0.0.1').slice(0, 16),
      userAgent: expect.stringMatching(/^sealed\./),
      usedTotp: false,
    },
  });
  const { address, userAgent } = (stored[0]?.metadata.actor ?? {}) as Record<string, unknown>;
  expect([address, userAgent].map((text) => vault.open(text as Sealed))).toEqual(['127.0.0.1', 'the-tool/1']);
});
