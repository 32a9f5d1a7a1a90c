import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { serverError, usageLimitReached, usageWindow } from '../support/provider/scripts.ts';

const WINDOW = ['used-percent', 'window-minutes', 'reset-at'];
const FIELDS = ['primary', 'secondary'].flatMap((name) => WINDOW.map((field) => `${name}-${field}`));

/** @returns the headers with a prefix, by name without it */
const family = (headers: Headers, prefix: string): Record<string, string> =>
  Object.fromEntries(
    [...headers].filter(([name]) => name.startsWith(prefix)).map(([name, value]) => [name.slice(prefix.length), value]),
  );

describe('the response has limit headers for', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ accounts: 2 });
  });
  afterAll(() => gateway.stop());

  const { model } = validRequest;
  const chat = { model, messages: [{ role: 'user', content: 'hi' }] };
  const form = () => {
    const recording = new FormData();
    recording.set('file', new Blob(['sound']), 'a.wav');
    return recording;
  };
  const post = (path: string, body: unknown) => () => gateway.ask(body, { path });
  const get =
    (path: string, init: RequestInit = {}) =>
    () =>
      fetch(gateway.url + path, init);
  const failing =
    (...scripts: ReturnType<typeof serverError>[]) =>
    () => {
      for (const [index, script] of scripts.entries()) gateway.pool[index]?.at.next(script);
      return gateway.ask();
    };

  test.each<[what: string, status: number, ask: () => Promise<Response>]>([
    ['a stream', 200, post('/backend-api/svc/responses', validRequest)],
    ['one JSON object', 200, post('/v1/responses', { model, input: 'hi' })],
    ['a chat', 200, post('/v1/chat/completions', chat)],
    ['a streamed chat', 200, post('/v1/chat/completions', { ...chat, stream: true })],
    ['a compaction', 200, post('/v1/responses/compact', { model, input: 'hi' })],
    ['a transcript', 200, () => fetch(`${gateway.url}/backend-api/transcribe`, { method: 'POST', body: form() })],
    ['a list of models', 200, get('/v1/models')],
    ['one model', 200, get('/v1/models/gpt-5.5')],
    ['the usage', 200, get('/api/svc/usage')],
    ['an invalid request', 400, post('/v1/responses', {})],
    ['an unknown path', 404, get('/v1/nowhere')],
    ['a method that is not allowed', 405, get('/v1/responses')],
    ['a provider that fails', 502, failing(serverError(), serverError())],
    ['a pool that is used up', 429, failing(usageLimitReached(), usageLimitReached())],
  ])(
    '%s (%i)',
    async (_what, status, ask) => {
      const response = await ask();
      await response.text();
      expect(response.status).toBe(status);
      const limits = family(response.headers, 'x-svc-');
      expect(Object.keys(limits).sort()).toEqual([...FIELDS].sort());
      expect(limits).toMatchObject({
        'primary-window-minutes': '300',
        'secondary-used-percent': '5',
        'secondary-window-minutes': '10080',
      });
      expect(Number(limits['primary-reset-at'])).toBeGreaterThan(Date.now() / 1_000);
      expect(family(response.headers, 'x-codex-')).toMatchObject(limits);
    },
    15_000,
  );

  test('refusals by key and allowlist', async () => {
    await gateway.set({ api_key_auth_enabled: true });
    const unknown = await gateway.ask();
    expect(unknown.status).toBe(401);
    expect(family(unknown.headers, 'x-svc-')).toHaveProperty('primary-used-percent');
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '10.9.8.7' });
    const unlisted = await gateway.ask();
    expect(unlisted.status).toBe(403);
    expect(family(unlisted.headers, 'x-svc-')).toHaveProperty('primary-used-percent');
  });
});

describe('the headers', () => {
  let gateway: Gateway;
  const limits = async (prefix = 'x-svc-') => family((await fetch(`${gateway.url}/v1/models`)).headers, prefix);
  const started = async (env: Record<string, string> = {}) => {
    gateway = await startGateway({ accounts: 2, env });
    return gateway;
  };

  test('change with a response and with an operator', async () => {
    await using _ = disposable(await started());
    const [first, second] = gateway.pool;
    if (!first || !second) throw new Error('no accounts');
    first.at.usage.primary = usageWindow({ usedPercent: 64 });
    await (await gateway.ask()).text();
    await expect.poll(() => limits()).toMatchObject({ 'primary-used-percent': '32' });
    await gateway.api('POST', `/api/accounts/${second.id}/pause`);
    expect(await limits()).toMatchObject({ 'primary-used-percent': '64', 'secondary-used-percent': '0' });
    await gateway.api('POST', `/api/accounts/${second.id}/reactivate`);
    expect(await limits()).toMatchObject({ 'primary-used-percent': '32' });
    await gateway.api('DELETE', `/api/accounts/${first.id}`);
    expect(await limits()).toMatchObject({ 'primary-used-percent': '0', 'secondary-used-percent': '10' });
    await gateway.api('DELETE', `/api/accounts/${second.id}`);
    expect(await limits()).toEqual({});
  });

  test('include purchased credits', async () => {
    await using _ = disposable(await started());
    const credits = { hasCredits: true, unlimited: false, balance: '7' };
    await gateway.importAccount(gateway.provider.addAccount({ usage: { credits } }));
    await expect
      .poll(() => limits())
      .toMatchObject({
        'credits-has-credits': 'true',
        'credits-unlimited': 'false',
        'credits-balance': '7.00',
      });
  });

  test('have the names that Codex knows only while aliases are enabled', async () => {
    await using _ = disposable(await started({ SVC_CODEX_ALIASES: 'false' }));
    expect(Object.keys(await limits())).toHaveLength(6);
    expect(await limits('x-codex-')).toEqual({});
    const response = await gateway.ask();
    await response.text();
    expect(family(response.headers, 'x-codex-primary')).toEqual({});
  });

  const disposable = ({ stop }: Gateway): AsyncDisposable => ({ [Symbol.asyncDispose]: stop });
});
