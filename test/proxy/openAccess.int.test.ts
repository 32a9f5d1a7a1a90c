import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { errorOf, type Gateway, validRequest } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';

// What a service does that other machines reach while nothing restricts who may use it.

const start = gateways();
let gateway: Gateway;

/** An address of this machine by which a request counts as one of another machine. */
const elsewhere = (family: 'IPv4' | 'IPv6') =>
  Object.values(networkInterfaces())
    .flat()
    .find((found) => found && !found.internal && found.family === family && !found.address.startsWith('fe80'))?.address;
const hostOf = (address: string) => (address.includes(':') ? `[${address}]` : address);
const urlAt = (address: string) => `http://${hostOf(address)}:${new URL(gateway.url).port}`;

const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(validRequest) };
const FORWARDED = { 'x-forwarded-for': '203.0.113.7' };
const PROXY = { FIREWALL_TRUST_PROXY_HEADERS: 'true', FIREWALL_TRUSTED_PROXY_CIDRS: '127.0.0.0/8' };
const problems = async () =>
  (await gateway.api('GET', '/api/status')).body.problems.map(({ code }: { code: string }) => code);
const warnings = () => gateway.output.filter((line) => line.startsWith('Warning: anyone who can reach this port'));

describe.each([
  ['0.0.0.0', elsewhere('IPv4')],
  ['::', elsewhere('IPv6')],
])('a service on %s', (host, address = '') => {
  test.skipIf(address === '')('refuses model requests of other machines until keys are required', async () => {
    gateway = await start({ env: { SVC_HOST: host } });
    const remote = urlAt(address);
    for (const path of ['/backend-api/svc/responses', '/v1/responses', '/v1/chat/completions', '/v1/nothing']) {
      const refused = await fetch(`${remote}${path}`, { ...sent, headers: { ...sent.headers, ...FORWARDED } });
      expect([path, refused.status]).toEqual([path, 403]);
      expect(await errorOf(refused)).toEqual({
        code: 'remote_access_disabled',
        type: 'permission_error',
        message: expect.stringContaining(`such as ${address}, because nothing restricts who may use it`),
      });
    }
    expect((await fetch(`${remote}/v1/models`, { headers: { 'x-forwarded-for': '127.0.0.1' } })).status).toBe(403);
    expect(gateway.asked()).toEqual([]);
    // Everything else works as before, also for the machine itself.
    expect((await fetch(`${remote}/health`)).status).toBe(200);
    expect((await fetch(`${remote}/api/svc/usage`)).status).toBe(200);
    expect((await fetch(`${remote}/api/dashboard-auth/session`)).status).toBe(200);
    expect((await gateway.ask()).status).toBe(200);

    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]).toMatch(/Require API keys .* add the addresses .* allowlist .* set SVC_ALLOW_OPEN=true/);
    expect(await problems()).toContain('remote_access_disabled');
    await gateway.set({ api_key_auth_enabled: true });
    expect(await problems()).not.toContain('remote_access_disabled');
    expect((await fetch(`${remote}/v1/responses`, sent)).status).toBe(401);
    const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'a key' });
    const authorized = { ...sent, headers: { ...sent.headers, authorization: `Bearer ${key.key}` } };
    expect((await fetch(`${remote}/v1/responses`, authorized)).status).toBe(200);

    await gateway.set({ api_key_auth_enabled: false });
    expect(warnings()).toHaveLength(2);
    expect((await fetch(`${remote}/v1/responses`, authorized)).status).toBe(403);
  });
});

describe('a service on 0.0.0.0', () => {
  const address = elsewhere('IPv4') ?? '';
  const env = { SVC_HOST: '0.0.0.0' };

  test.skipIf(address === '')('serves the addresses of an allowlist', async () => {
    gateway = await start({ env });
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '203.0.113.7' });
    expect(await problems()).not.toContain('remote_access_disabled');
    expect(await errorOf(await fetch(`${urlAt(address)}/v1/responses`, sent))).toMatchObject({ code: 'ip_forbidden' });
    await gateway.api('POST', '/api/firewall/ips', { ip_address: address });
    expect((await fetch(`${urlAt(address)}/v1/responses`, sent)).status).toBe(200);
    for (const ip of [address, '203.0.113.7'])
      await gateway.api('DELETE', `/api/firewall/ips/${encodeURIComponent(ip)}`);
    expect(await errorOf(await fetch(`${urlAt(address)}/v1/responses`, sent))).toMatchObject({
      code: 'remote_access_disabled',
    });
    expect(await problems()).toContain('remote_access_disabled');
  });

  test.skipIf(address === '')('serves everyone with SVC_ALLOW_OPEN, and says so', async () => {
    gateway = await start({ env: { ...env, SVC_ALLOW_OPEN: 'true' } });
    expect((await fetch(`${urlAt(address)}/v1/responses`, sent)).status).toBe(200);
    expect(warnings()).toEqual([expect.stringMatching(/can use the accounts, .*SVC_ALLOW_OPEN=true allows it\.$/)]);
    expect(await problems()).not.toContain('remote_access_disabled');
  });
});

test('says nothing, and serves this machine, on a loopback address', async () => {
  gateway = await start();
  expect((await gateway.ask(validRequest, { headers: FORWARDED })).status).toBe(200);
  expect(warnings()).toEqual([]);
  expect(await problems()).toEqual([]);
});

test('refuses clients that a trusted proxy forwards from other machines, on a loopback address, too', async () => {
  gateway = await start({ env: PROXY });
  expect(warnings()).toHaveLength(1);
  const from = async (address: string) =>
    (await gateway.ask(validRequest, { headers: { 'x-forwarded-for': address } })).status;
  expect(await from('203.0.113.7')).toBe(403);
  expect(await from('127.0.0.1, 203.0.113.7')).toBe(403);
  expect(await from('127.0.0.1')).toBe(200);
  await gateway.restart();
  expect(gateway.events('RefusalsCounted').map(({ data }) => [data.address, data.counts])).toEqual([
    ['203.0.113.7', { remote_access_disabled: 1 }],
    ['127.0.0.1', { remote_access_disabled: 1 }],
  ]);
});
