import { expect, test } from 'vitest';
import type { Gateway, GatewayOptions } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';
import { usageWindow } from '../support/provider/scripts.ts';

let gateway: Gateway;
const next = gateways();
const start = async (options?: GatewayOptions) => {
  gateway = await next(options);
};

const WEEK = 7 * 24 * 3600;
const ask = (path = '/api/svc/usage', init: RequestInit = {}) => fetch(gateway.url + path, init);
const usage = async () => (await ask()).json();

test('reports the pool like one account, on every path that Codex polls', async () => {
  await start({ accounts: 2 });
  const window = {
    limit_window_seconds: 5 * 3600,
    reset_after_seconds: expect.any(Number),
    reset_at: expect.any(Number),
  };
  for (const path of ['/api/svc/usage', '/api/svc/usage/', '/api/codex/usage', '/backend-api/wham/usage']) {
    const response = await ask(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect(await response.json()).toEqual({
      plan_type: 'plus',
      rate_limit: {
        allowed: true,
        limit_reached: false,
        primary_window: { ...window, used_percent: 0 },
        secondary_window: {
          ...window,
          // One account has used nothing, the other 10 %.
          used_percent: 5,
          limit_window_seconds: WEEK,
          reset_at: gateway.pool[0]?.at.usage.secondary?.resetAt,
        },
      },
      credits: null,
    });
  }
});

test('needs neither a key nor an allowlist entry, unlike the other routes', async () => {
  await start();
  await gateway.set({ api_key_auth_enabled: true });
  expect((await ask('/v1/models')).status).toBe(401);
  expect((await ask()).status).toBe(200);
  expect((await ask('/api/svc/usage', { headers: { authorization: 'Bearer of something else' } })).status).toBe(200);
  await gateway.api('POST', '/api/firewall/ips', { ip_address: '10.9.8.7' });
  expect((await ask('/v1/models')).status).toBe(403);
  for (const path of ['/api/svc/usage', '/api/codex/usage', '/backend-api/wham/usage']) {
    expect((await ask(path)).status).toBe(200);
  }
});

test('leaves no row in the request log', async () => {
  await start();
  await ask();
  await (await gateway.ask()).text();
  expect(await gateway.logs()).toHaveLength(1);
});

test('reports an empty pool as a guest without limits', async () => {
  await start({ accounts: 0 });
  expect(await usage()).toEqual({ plan_type: 'guest', rate_limit: null, credits: null });
});

test('reports the limit as reached when every account is used up', async () => {
  await start({ accounts: 0 });
  const spent = () => ({ usage: { secondary: usageWindow({ usedPercent: 100, windowSeconds: WEEK }) } });
  await gateway.importAccount(gateway.provider.addAccount(spent()));
  await expect.poll(usage).toMatchObject({ rate_limit: { allowed: false, limit_reached: true } });
  const fresh = await gateway.importAccount(gateway.provider.addAccount());
  await expect.poll(usage).toMatchObject({
    rate_limit: { allowed: true, limit_reached: false, secondary_window: { used_percent: 50 } },
  });
  await gateway.api('POST', `/api/accounts/${fresh}/pause`);
  expect(await usage()).toMatchObject({ rate_limit: { limit_reached: true, secondary_window: { used_percent: 100 } } });
});

test('shows purchased credits', async () => {
  await start({ accounts: 0 });
  const credits = { hasCredits: true, unlimited: false, balance: '12.5' };
  await gateway.importAccount(gateway.provider.addAccount({ usage: { credits } }));
  await expect.poll(usage).toMatchObject({
    credits: {
      has_credits: true,
      unlimited: false,
      balance: '12.50',
      approx_local_messages: null,
      approx_cloud_messages: null,
    },
  });
});

test('rejects other methods with a JSON error', async () => {
  await start();
  const response = await ask('/api/svc/usage', { method: 'POST' });
  expect(response.status).toBe(405);
  expect(await response.json()).toMatchObject({ error: { code: 'method_not_allowed', type: expect.any(String) } });
});

test('serves only its own path with aliases disabled', async () => {
  await start({ env: { SVC_CODEX_ALIASES: 'false' } });
  expect((await ask()).status).toBe(200);
  for (const path of ['/api/codex/usage', '/backend-api/wham/usage']) {
    const response = await ask(path);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toContain('application/json');
  }
});
