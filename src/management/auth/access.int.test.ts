import { expect, test } from 'vitest';
import { sharedManagement, startManagement } from '../../../test/support/management.ts';

let address: string | undefined;
const from = sharedManagement({ connection: { remoteAddress: ({ socket }) => address ?? socket.remoteAddress } });
/** The shared management as a client at this address meets it. */
const calling = (client?: string) => {
  address = client;
  return from();
};

test('health answers everybody, even a stranger', async () => {
  const { call } = calling('203.0.113.9');
  const { status, body } = await call('GET', '/health');
  expect([status, body]).toEqual([200, { status: 'ok' }]);
});

test.each([
  ['an address of another machine', '203.0.113.9', {}, 'your address is 203.0.113.9'],
  ['an address of the local network', '192.168.1.5', {}, 'your address is 192.168.1.5'],
  ['a forwarded request', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, 'header x-forwarded-for'],
  ['a forwarded protocol alone', '127.0.0.1', { 'x-forwarded-proto': 'https' }, 'header x-forwarded-proto'],
  ['the standard header', '127.0.0.1', { forwarded: 'for=127.0.0.1' }, 'header forwarded'],
  ['a proxy that only names itself', '127.0.0.1', { via: '1.1 proxy' }, 'header via'],
  ['a real-ip header', '127.0.0.1', { 'x-real-ip': '127.0.0.1' }, 'header x-real-ip'],
  ['a content network', '127.0.0.1', { 'cf-connecting-ip': '203.0.113.9' }, 'header cf-connecting-ip'],
  ['a name that resolves to this machine', '127.0.0.1', { host: 'evil.example:2455' }, 'Host "evil.example:2455"'],
  ['a name that begins like an address', '127.0.0.1', { host: '127.0.0.1.evil.example' }, 'Host "127.0.0.1.evil'],
])('management is closed to %s and says why', async (_name, client, headers, reason) => {
  const { call } = calling(client);
  const { status, body } = await call('GET', '/api/accounts', { headers });
  expect(status).toBe(401);
  expect(body).toEqual({
    error: { code: 'authentication_required', message: expect.stringContaining(reason) },
  });
});

test('on settings the same refusal is called unauthorized', async () => {
  const { call } = calling('203.0.113.9');
  for (const [method, path] of [
    ['GET', '/api/settings'],
    ['PUT', '/api/settings/'],
  ] as const) {
    const { status, body } = await call(method, path, { body: {} });
    expect([status, body.error.code]).toEqual([401, 'unauthorized']);
  }
});

test('a stranger learns nothing about which paths exist', async () => {
  const { call } = calling('203.0.113.9');
  for (const path of ['/api/nothing', '/api/api-keys/x', '/nothing']) {
    expect((await call('GET', path)).status).toBe(401);
  }
});

test.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('%s is this machine', async (client) => {
  const { call } = calling(client);
  expect((await call('GET', '/api/settings')).status).toBe(200);
});

test.each(['localhost', 'localhost:2455', 'LOCALHOST', '127.0.0.1:2455', '[::1]:2455', '10.0.0.7'])(
  'the Host %s is trusted',
  async (host) => {
    const { call } = calling();
    expect((await call('GET', '/api/settings', { headers: { host } })).status).toBe(200);
  },
);

test('a page of another origin cannot change anything', async () => {
  const { call, port, hot } = calling();
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

test('our own page and tools can change things', async () => {
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

test('reading from another origin is left to the browser, which hides the answer', async () => {
  const { call } = calling();
  const { status, headers } = await call('GET', '/api/settings', { headers: { origin: 'https://evil.example' } });
  expect(status).toBe(200);
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

test('a path that is not there is 404, in JSON', async () => {
  const { call } = calling();
  for (const path of ['/api/nothing', '/api', '/api/accounts/x/frobnicate', '/API/accounts', '/api/%', '/elsewhere']) {
    const { status, body } = await call('GET', path);
    expect([status, body.error.code, path]).toEqual([404, 'not_found', path]);
  }
});

test('a method that a path does not have is 405 and says which it has', async () => {
  const { call } = calling();
  const { status, headers, body } = await call('PUT', '/api/firewall/ips', { body: {} });
  expect([status, headers.allow, body.error.code]).toEqual([405, 'HEAD, GET, POST', 'method_not_allowed']);
  const options = await call('OPTIONS', '/api/api-keys/x');
  expect([options.status, options.headers.allow]).toEqual([204, 'PATCH, DELETE']);
});

test('a trailing slash makes no difference', async () => {
  const { call } = calling();
  for (const path of ['/api/accounts/', '/api/api-keys/', '/api/settings/', '/api/firewall/ips/', '/health/']) {
    expect([(await call('GET', path)).status, path]).toEqual([200, path]);
  }
  expect((await call('POST', '/api/accounts/x/pause/')).body.error.code).toBe('account_not_found');
});

test('every answer has an id of its own and stays out of caches', async () => {
  const { call } = calling();
  const answers = [await call('GET', '/health'), await call('GET', '/api/nothing'), await call('GET', '/api/settings')];
  expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(3);
  expect(answers.every(({ headers }) => headers['cache-control'] === 'no-store')).toBe(true);
});

test('what nobody expected is reported and answered without its details', async () => {
  const secret = new Error('password of the database: hunter2');
  const { call, reported } = await startManagement({
    queries: { requestLog: { page: () => Promise.reject(secret) } as never },
  });
  const { status, body, text } = await call('GET', '/api/request-logs');
  expect([status, body.error.code]).toEqual([500, 'internal_error']);
  expect(text).not.toContain('hunter2');
  expect(reported).toEqual([secret]);
});

test('the id of the answer stands in the log beside what the request changed', async () => {
  const { call, log } = await startManagement();
  const headers = { 'user-agent': 'the-tool/1' };
  const answer = await call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.1' }, headers });
  const stored = await Array.fromAsync(log.readStream('firewall-main'));
  expect(stored[0]?.metadata).toMatchObject({
    correlationId: answer.headers['x-request-id'],
    actor: { kind: 'operator', sessionId: null, address: '127.0.0.1', userAgent: 'the-tool/1', usedTotp: false },
  });
});
