import { expect, test } from 'vitest';
import { addressOf, logIn, setUp } from '../../../test/support/browser.ts';
import { sharedManagement, startManagement } from '../../../test/support/management.ts';

const shared = sharedManagement();

test('activates the allowlist with the first address until the last is removed', async () => {
  const { call } = await startManagement();
  expect((await call('GET', '/api/firewall/ips')).body).toMatchObject({ mode: 'allow_all', entries: [] });

  const added = await call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.1' } });
  const entry = { ip_address: '10.0.0.1', created_at: '2026-01-15T12:00:00.000Z' };
  expect([added.status, added.body]).toEqual([200, entry]);
  expect((await call('GET', '/api/firewall/ips')).body).toMatchObject({ mode: 'allowlist_active', entries: [entry] });

  const removed = await call('DELETE', '/api/firewall/ips/10.0.0.1');
  expect([removed.status, removed.body]).toEqual([200, { status: 'deleted' }]);
  expect((await call('GET', '/api/firewall/ips')).body).toMatchObject({ mode: 'allow_all', entries: [] });
});

test('shows addresses in canonical form', async () => {
  const { call } = await startManagement();
  const sent = ['2001:DB8:0:0::1', ' ::ffff:10.0.0.2 '];
  const shown = await Promise.all(
    sent.map(async (ip_address) => (await call('POST', '/api/firewall/ips', { body: { ip_address } })).body.ip_address),
  );
  expect(shown).toEqual(['2001:db8::1', '10.0.0.2']);
});

test('accepts camelCase and entries of earlier responses', async () => {
  const { call } = await startManagement();
  const body = { ipAddress: '10.0.0.3', createdAt: '2020-01-01T00:00:00Z' };
  expect((await call('POST', '/api/firewall/ips', { body })).status).toBe(200);
});

test.each(['10.0.0', '10.0.0.256', 'localhost', '10.0.0.0/8', 'fe80::1%eth0', '', '1.2.3.4:80'])(
  'rejects the address "%s"',
  async (ip_address) => {
    const { call } = shared();
    const { status, body } = await call('POST', '/api/firewall/ips', { body: { ip_address } });
    expect([status, body.error.code]).toEqual([400, 'invalid_ip']);
    if (ip_address === '') return;
    const removed = await call('DELETE', `/api/firewall/ips/${encodeURIComponent(ip_address)}`);
    expect([removed.status, removed.body.error.code]).toEqual([400, 'invalid_ip']);
  },
);

test('names the missing or unknown field of a body', async () => {
  const { call } = await startManagement();
  const messages = await Promise.all(
    [{}, { ip_address: 7 }, { ip_address: '10.0.0.1', note: 'x' }].map(
      async (body) => (await call('POST', '/api/firewall/ips', { body })).body.error,
    ),
  );
  expect(messages).toEqual([
    { code: 'invalid_ip', message: 'ip_address is missing' },
    { code: 'invalid_ip', message: 'ip_address must be a string' },
    { code: 'invalid_ip', message: 'note is not a known field' },
  ]);
});

test('treats two spellings of an address as one', async () => {
  const { call } = await startManagement();
  await call('POST', '/api/firewall/ips', { body: { ip_address: '2001:db8::1' } });
  const again = await call('POST', '/api/firewall/ips', { body: { ip_address: '2001:0DB8::0:1' } });
  expect([again.status, again.body.error.code]).toEqual([409, 'ip_exists']);
  expect((await call('DELETE', '/api/firewall/ips/2001%3ADB8%3A%3A1')).status).toBe(200);
  const removed = await call('DELETE', '/api/firewall/ips/2001:db8::1');
  expect([removed.status, removed.body.error.code]).toEqual([404, 'ip_not_found']);
});

test('stores all of twenty simultaneous addresses', async () => {
  const { call } = await startManagement();
  const ips = Array.from({ length: 20 }, (_, index) => `10.0.0.${index}`);
  const responses = await Promise.all(
    ips.map((ip_address) => call('POST', '/api/firewall/ips', { body: { ip_address } })),
  );
  expect(responses.map(({ status }) => status)).toEqual(ips.map(() => 200));
  expect((await call('GET', '/api/firewall/ips')).body.entries).toHaveLength(20);
});

test('returns the address of the client', async () => {
  const stage = await startManagement({ connection: { remoteAddress: addressOf } });
  await setUp(stage);
  const client = await logIn(stage, { address: '::ffff:192.0.2.7' });
  expect((await client.call('GET', '/api/firewall/ips')).body.caller_address).toBe('192.0.2.7');
});
