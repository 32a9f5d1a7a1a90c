import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { errorOf, type Gateway, validRequest } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';

const start = gateways();
let gateway: Gateway;

const createKey = async (fields: Record<string, unknown> = {}) =>
  (await gateway.api('POST', '/api/api-keys', { name: 'a key', ...fields })).body;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('access to the proxy', () => {
  test('ignores keys while they are not required', async () => {
    gateway = await start();
    expect((await gateway.ask(validRequest, { headers: bearer('dummy') })).status).toBe(200);
  });

  test('rejects missing, wrong, inactive, expired and deleted keys when keys are required', async () => {
    gateway = await start();
    const { key: inactive, id: inactiveId } = await createKey();
    const { key: expired } = await createKey({ expires_at: '2020-01-01T00:00:00Z' });
    const { key: deleted, id: deletedId } = await createKey();
    await gateway.api('PATCH', `/api/api-keys/${inactiveId}`, { is_active: false });
    await gateway.api('DELETE', `/api/api-keys/${deletedId}`);
    await gateway.set({ api_key_auth_enabled: true });
    for (const headers of [
      {},
      bearer(`sk-svc-${'0'.repeat(48)}`),
      bearer(inactive),
      bearer(expired),
      bearer(deleted),
    ]) {
      const response = await gateway.ask(validRequest, { headers });
      expect(response.status).toBe(401);
      expect(await errorOf(response)).toMatchObject({ code: 'invalid_api_key', type: 'authentication_error' });
    }
    expect(gateway.asked()).toEqual([]);
    expect(await gateway.logs()).toEqual([]);
  });

  test('replaces the value of a regenerated key at once', async () => {
    gateway = await start();
    const { key: old, id } = await createKey();
    await gateway.set({ api_key_auth_enabled: true });
    const { body } = await gateway.api('POST', `/api/api-keys/${id}/regenerate`);
    expect((await gateway.ask(validRequest, { headers: bearer(old) })).status).toBe(401);
    expect((await gateway.ask(validRequest, { headers: bearer(body.key) })).status).toBe(200);
  });

  test('checks the key of every request of a connection', async () => {
    gateway = await start();
    const [first, second] = [await createKey(), await createKey()];
    await gateway.set({ api_key_auth_enabled: true });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const body = JSON.stringify(validRequest);
    const sockets = new Set<unknown>();
    const ask = async (headers: Record<string, string>) => {
      const target = `${gateway.url}/backend-api/svc/responses`;
      const request = httpRequest(target, {
        method: 'POST',
        agent,
        headers: { ...headers, 'content-length': body.length },
      });
      const [response] = (await once(request.end(body), 'response')) as [IncomingMessage];
      sockets.add(response.socket);
      await once(response.resume(), 'end');
      return response.statusCode;
    };
    const sent = [
      bearer(first.key),
      bearer(first.key),
      bearer('sk-svc-none'),
      {},
      bearer(second.key),
      { authorization: 'x' },
    ];
    const statuses: (number | undefined)[] = [];
    for (const headers of sent) statuses.push(await ask(headers));
    expect(statuses).toEqual([200, 200, 401, 401, 200, 401]);
    expect(gateway.events('RequestCompleted').map(({ data }) => data.keyId)).toEqual([first.id, first.id, second.id]);
    await gateway.api('DELETE', `/api/api-keys/${second.id}`);
    expect([await ask(bearer(second.key)), await ask(bearer(second.key)), await ask(bearer(first.key))]).toEqual([
      401, 401, 200,
    ]);
    expect(sockets.size).toBe(1);
    agent.destroy();
  });

  test('rejects a key that is deleted while its request arrives, and records that once', async () => {
    gateway = await start({ env: {} });
    const { key, id } = await createKey();
    await gateway.set({ api_key_auth_enabled: true });
    const body = JSON.stringify(validRequest);
    const headers = { ...bearer(key), 'content-length': body.length, expect: '100-continue' };
    const request = httpRequest(`${gateway.url}/backend-api/svc/responses`, { method: 'POST', headers });
    const status = new Promise<number | undefined>((resolve, reject) => {
      request.on('response', (response) => resolve(response.resume().statusCode));
      request.on('error', reject);
    });
    // The key has been checked when the server asks for the body.
    await new Promise((resolve) => request.once('continue', resolve));
    await gateway.api('DELETE', `/api/api-keys/${id}`);
    request.end(body);
    expect(await status).toBe(401);
    expect(gateway.asked()).toEqual([]);
    await gateway.restart();
    expect(gateway.events('RequestRefused').map(({ data }) => data)).toMatchObject([
      { keyId: id, errorCode: 'invalid_api_key' },
    ]);
    expect(gateway.events('RefusalsCounted')).toEqual([]);
  });

  test('refuses a model that the key may not use, with a row and an event', async () => {
    gateway = await start();
    const { key, id } = await createKey({ allowed_models: ['gpt-5.2'] });
    await gateway.set({ api_key_auth_enabled: true });
    const response = await gateway.ask(validRequest, { headers: bearer(key) });
    expect(response.status).toBe(403);
    expect(await errorOf(response)).toMatchObject({ code: 'model_not_allowed', type: 'permission_error' });
    const [refused] = gateway.events('RequestRefused');
    expect(refused?.data).toMatchObject({ keyId: id, errorCode: 'model_not_allowed' });
    expect(refused?.data.decidedAt).toBeGreaterThanOrEqual(gateway.events('SettingsChanged').at(-1)?.position ?? 0);
    expect(refused?.data.decidedAt).toBeLessThan(refused?.position ?? 0);
    expect(await gateway.logs()).toMatchObject([{ status: '403', model: 'gpt-5.1', error_code: 'model_not_allowed' }]);
  });

  test('applies changes of the allowlist at once', async () => {
    gateway = await start();
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '203.0.113.7' });
    const refused = await gateway.ask();
    expect(refused.status).toBe(403);
    expect(await errorOf(refused)).toMatchObject({ code: 'ip_forbidden', type: 'permission_error' });
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '::ffff:127.0.0.1' });
    expect((await gateway.ask()).status).toBe(200);
  });

  test('uses the forwarded address behind a trusted proxy', async () => {
    gateway = await start({
      env: { FIREWALL_TRUST_PROXY_HEADERS: 'true', FIREWALL_TRUSTED_PROXY_CIDRS: '127.0.0.0/8' },
    });
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '203.0.113.7' });
    const from = (address: string) => gateway.ask(validRequest, { headers: { 'x-forwarded-for': address } });
    expect((await from('203.0.113.7, 10.0.0.1')).status).toBe(200);
    expect((await from('203.0.113.8')).status).toBe(403);
  });

  test('counts rejected requests by address and minute', async () => {
    gateway = await start({ env: {} });
    await gateway.set({ api_key_auth_enabled: true });
    for (let index = 0; index < 3; index++) await (await gateway.ask()).text();
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '203.0.113.7' });
    expect((await gateway.ask()).status).toBe(403);
    const since = gateway.events('SettingsChanged').at(-1)?.position ?? 0;
    const until = gateway.events('IpAllowed').at(-1)?.position ?? 0;
    await gateway.restart();
    const counted = gateway.events('RefusalsCounted').map(({ data }) => data);
    expect(counted[0]).toMatchObject({ address: '127.0.0.1', keyId: null });
    expect(counted.flatMap(({ counts }) => Object.entries(counts))).toEqual([
      ['invalid_api_key', 3],
      ['ip_forbidden', 1],
    ]);
    // The minute may have ended in between.
    const [first = 0, last = 0] = [counted[0]?.decidedAt?.[0], counted.at(-1)?.decidedAt?.[1]];
    expect(first).toBeGreaterThanOrEqual(since);
    expect(first).toBeLessThan(until);
    expect(last).toBeGreaterThanOrEqual(until);
  });
});
