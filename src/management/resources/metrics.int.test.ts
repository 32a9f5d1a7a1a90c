import { expect, test } from 'vitest';
import { setUp } from '../../../test/support/browser.ts';
import { sharedManagement, startManagement } from '../../../test/support/management.ts';

let address: string | undefined;
let isAllowed = false;
const shared = sharedManagement({
  connection: { remoteAddress: ({ socket }) => address ?? socket.remoteAddress },
  isAllowedScraper: () => isAllowed,
});

async function scrape(headers: Record<string, string> = {}, from?: string, allowed = false) {
  address = from;
  isAllowed = allowed;
  return shared().call('GET', '/metrics', { headers });
}

test('shows metrics to this machine', async () => {
  await scrape();
  const { status, headers, text } = await scrape();
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  expect(text).toContain('svc_http_responses_total{route="/metrics",method="GET",status="200"}');
});

test.each([
  [
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.1',
    true,
  ],
  ['application/openmetrics-text', true],
  ['text/plain;version=0.0.4;q=0.9,application/openmetrics-text;q=0.5', false],
  ['application/openmetrics-text;q=0', false],
  ['application/openmetrics-textual', false],
  ['*/*', false],
  ['', false],
])('chooses the format by Accept: %s', async (accept, isOpenMetrics) => {
  const { headers, text } = await scrape({ accept });
  expect(headers['content-type']).toMatch(
    isOpenMetrics ? /^application\/openmetrics-text; version=1\.0\.0/ : /^text\/plain; version=0\.0\.4/,
  );
  expect(text.endsWith('# EOF\n')).toBe(isOpenMetrics);
});

test.each<[what: string, status: number, from: string, allowed: boolean, headers: Record<string, string>]>([
  ['another machine', 401, '203.0.113.9', false, {}],
  ['an allowed address', 200, '203.0.113.9', true, {}],
  ['an allowed address that forwards', 401, '203.0.113.9', true, { 'x-forwarded-for': '203.0.113.10' }],
  ['this machine when it forwards', 401, '127.0.0.1', false, { 'x-forwarded-for': '127.0.0.1' }],
  ['this machine under a foreign name', 401, '127.0.0.1', false, { host: 'evil.example' }],
  ['a wrong token from this machine', 401, '127.0.0.1', true, { authorization: `Bearer mt-svc-${'0'.repeat(48)}` }],
])('answers %s with %i', async (_what, status, from, allowed, headers) => {
  const response = await scrape(headers, from, allowed);
  expect(response.status).toBe(status);
  if (status === 401) expect(response.body.error.code).toBe('authentication_required');
});

test('is read with a management token by its role, and by this machine although a password is set', async () => {
  let from = '127.0.0.1';
  const stage = await startManagement({ connection: { remoteAddress: () => from } });
  const admin = await setUp(stage);
  const tokenOf = async (role: string) =>
    (await admin.call('POST', '/api/tokens', { body: { name: role, role, expires_at: '2999-01-01' } })).body.token;
  const tokens = { auditor: await tokenOf('auditor'), member: await tokenOf('member') };
  expect((await stage.call('GET', '/metrics')).status).toBe(200);
  from = '203.0.113.9';
  const statusFor = async (token: string) =>
    (await stage.call('GET', '/metrics', { headers: { authorization: `Bearer ${token}` } })).status;
  expect([await statusFor(tokens.auditor), await statusFor(tokens.member)]).toEqual([200, 403]);
  expect((await stage.call('GET', '/metrics')).status).toBe(401);
});
