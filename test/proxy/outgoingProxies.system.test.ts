import { afterEach, describe, expect, test, vi } from 'vitest';
import { operatorOf } from '../linking/operator.ts';
import { type Gateway, type GatewayOptions, startGateway, validRequest } from '../support/gateway.ts';
import { eventsIn } from '../support/provider/client.ts';
import { streamSilent } from '../support/provider/scripts.ts';
import {
  type ProxyKind,
  type ProxyProgram,
  type ProxyProgramOptions,
  startProxyProgram,
} from '../support/proxies/proxyProgram.ts';
import { startTlsProvider, type TlsProvider } from '../support/proxies/tlsProvider.ts';
import { trustTestCertificate } from '../support/proxies/trustTestCertificate.ts';
import { openStrictSocket } from '../support/strictSocket.ts';
import { waitOptions } from '../support/waitOptions.ts';

// The service behind real proxy programs, with a provider that is reached by TLS.

trustTestCertificate();

const CREDENTIALS = { username: 'svc', password: 'p4ss:w@rd' };
const started: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of started.splice(0).reverse()) await each.close();
});

async function startProxy(options: ProxyProgramOptions): Promise<ProxyProgram> {
  const program = await startProxyProgram(options);
  started.push(program);
  return program;
}

/** @param envOf the environment of the service, by the port of the provider */
async function start(envOf: (port: number) => Record<string, string>, options: GatewayOptions = {}) {
  let tls: TlsProvider | undefined;
  const env: Record<string, string> = {};
  const gateway = await startGateway({
    ...options,
    env,
    between: async (baseUrl) => {
      tls = await startTlsProvider(baseUrl);
      started.push(tls);
      Object.assign(env, { SVC_AUTH_BASE_URL: tls.at() }, envOf(tls.port));
      return `${tls.at()}/backend-api`;
    },
  });
  started.push({ close: () => gateway.stop() });
  return { gateway, tls: tls as TlsProvider };
}

const problems = async ({ api }: Gateway) =>
  (await api('GET', '/api/status')).body.problems.map(({ code, subject }: { code: string; subject?: string }) => [
    code,
    subject,
  ]);
const attemptsOf = ({ events }: Gateway) =>
  events('RequestCompleted').flatMap(({ data }) =>
    data.attempts.map(({ outcome, code, proxy }) => ({ outcome, code, proxy })),
  );

/** Makes a call of each kind: import (usage, models), model request, refresh, sign-in. */
async function makeAllCalls(gateway: Gateway, tls: TlsProvider): Promise<void> {
  const { provider } = gateway;
  expect((await gateway.ask()).status).toBe(200);
  const expiring = provider.addAccount({ accessExpiresInSeconds: 30 });
  await gateway.importAccount(expiring);
  const operator = operatorOf(gateway);
  Object.assign(provider.authorization.script, { interval: '0.1', publicUrl: tls.at() });
  const flow = await operator.start({ forceMethod: 'device' });
  provider.authorization.approve(flow.userCode, provider.addAccount());
  expect(await operator.waitUntilEnded(flow.flowId)).toMatchObject({ status: 'success' });
  await vi.waitUntil(() => gateway.events('TokensRefreshed').length > 0, waitOptions);
  const paths = new Set(provider.received.map(({ path }) => path.replace(/\?.*/, '')));
  expect([...paths]).toEqual(
    expect.arrayContaining([
      '/backend-api/wham/usage',
      '/backend-api/codex/models',
      '/backend-api/codex/responses',
      '/api/accounts/deviceauth/usercode',
      '/api/accounts/deviceauth/token',
      '/oauth/token',
    ]),
  );
}

const KINDS = (['http', 'https', 'socks5'] as const).flatMap((kind) =>
  [undefined, CREDENTIALS].map((credentials) => [kind, credentials ? 'with' : 'without', credentials] as const),
);

describe.each(KINDS)('a proxy of kind %s, %s authentication', (kind, _, credentials) => {
  test('every call to the provider goes through it', async () => {
    const proxy = await startProxy({ kind, credentials });
    const { gateway, tls } = await start(() => ({ SVC_PROXY_URL: proxy.url }));
    await makeAllCalls(gateway, tls);
    expect(new Set(proxy.asked)).toEqual(new Set([`localhost:${tls.port}`]));
    // Not more than the proxy opened, and not less once it has opened the last one.
    await vi.waitUntil(() => tls.connections === proxy.asked.length, waitOptions);
    expect(attemptsOf(gateway)).toContainEqual({ outcome: 'ok', code: undefined, proxy: proxy.name });
    expect(await problems(gateway)).toEqual([]);
    expect(gateway.output.join('\n')).toContain(`Calls to localhost:${tls.port} leave through the proxy ${proxy.name}`);
    expect(gateway.output.join('\n')).not.toMatch(/p4ss/);
  });
});

test.each(['true', 'false'])('connections through a proxy are reused (SVC_PLAIN_HTTP=%s)', async (SVC_PLAIN_HTTP) => {
  const proxy = await startProxy({ kind: 'http' });
  const { gateway } = await start(() => ({ HTTPS_PROXY: proxy.url, SVC_PLAIN_HTTP }));
  await (await gateway.ask()).text();
  const before = proxy.asked.length;
  for (let turn = 0; turn < 5; turn++) await (await gateway.ask()).text();
  expect(proxy.asked.length).toBe(before);
});

test.each<ProxyKind>(['http', 'socks5'])('a websocket leaves through the %s proxy, with TLS', async (kind) => {
  const proxy = await startProxy({ kind });
  const { gateway } = await start(() => ({ HTTPS_PROXY: proxy.url }));
  const before = proxy.asked.length;
  const socket = await openStrictSocket(`${gateway.url}/backend-api/svc/responses`, { headers: { 'thread-id': 't1' } });
  const { terminal } = await socket.create(validRequest);
  await socket.leave();
  expect(terminal?.type).toBe('response.completed');
  expect(proxy.asked.length).toBe(before + 1);
  expect(attemptsOf(gateway)).toEqual([{ outcome: 'ok', code: undefined, proxy: proxy.name }]);
});

test.each<[string, ProxyKind]>([
  ['https_proxy', 'http'],
  ['HTTPS_PROXY', 'socks5'],
])('%s holds, except for what NO_PROXY names', async (variable, kind) => {
  const proxy = await startProxy({ kind });
  const { gateway } = await start(() => ({ [variable]: proxy.url }));
  expect((await gateway.ask()).status).toBe(200);
  expect(proxy.asked.length).toBeGreaterThan(0);
  const other = await startProxy({ kind });
  const { gateway: direct, tls } = await start((port) => ({ [variable]: other.url, no_proxy: `localhost:${port}` }));
  expect((await direct.ask()).status).toBe(200);
  expect([other.asked, tls.connections > 0]).toEqual([[], true]);
  expect(attemptsOf(direct)).toEqual([{ outcome: 'ok', code: undefined, proxy: undefined }]);
});

describe('a proxy that fails', () => {
  test.each(['true', 'false'])('never leads to a direct call (SVC_PLAIN_HTTP=%s)', async (SVC_PLAIN_HTTP) => {
    const proxy = await startProxy({ kind: 'http' });
    const { gateway, tls } = await start(() => ({ SVC_PROXY_URL: proxy.url, SVC_PLAIN_HTTP }), { accounts: 2 });
    await proxy.close();
    const before = tls.connections;
    const response = await gateway.ask();
    expect([response.status, ((await response.json()) as { error: unknown }).error]).toEqual([
      502,
      expect.objectContaining({
        code: 'outgoing_proxy_failed',
        message: expect.stringMatching(/^The proxy between svc and the provider cannot be reached \(ECONNREFUSED\)/),
      }),
    ]);
    const flow = await gateway.api('POST', '/api/oauth/start', { force_method: 'device' });
    expect([flow.status, flow.body.error.message]).toEqual([502, expect.stringContaining('proxy_unreachable')]);
    expect(tls.connections).toBe(before);
    const failed = { outcome: 'proxy_failed', code: 'proxy_unreachable', proxy: proxy.name };
    expect(attemptsOf(gateway)).toEqual([failed, failed]);
    for (const { id } of gateway.pool) expect(await gateway.availability(id)).toMatchObject({ state: 'available' });
    expect(await problems(gateway)).toEqual([['outgoing_proxy_failing', proxy.name]]);
    const lines = gateway.output.filter((line) => line.includes(`The proxy ${proxy.name} cannot be reached`));
    expect(lines).toHaveLength(1);
  });

  test.each([
    ['refuses', 'refuse', 'proxy_refused'],
    ['demands a password', 'open', 'proxy_auth_required'],
  ] as const)('is named when it %s', async (_, treatment, code) => {
    const proxy = await startProxy({ kind: 'http', credentials: CREDENTIALS });
    const { gateway } = await start(() => ({ SVC_PROXY_URL: proxy.url }));
    const url = treatment === 'open' ? proxy.url.replace('p4ss', 'wrong') : proxy.url;
    proxy.treatment = treatment;
    await gateway.api('PATCH', `/api/accounts/${gateway.pool[0]?.id}`, {
      proxy: url.replace('127.0.0.1', 'localhost'),
    });
    expect((await gateway.ask()).status).toBe(502);
    expect(attemptsOf(gateway)).toEqual([{ outcome: 'proxy_failed', code, proxy: `localhost:${proxy.port}` }]);
    expect(JSON.stringify([gateway.output, (await gateway.api('GET', '/api/status')).body])).not.toMatch(/p4ss|wrong/);
  });

  test('costs a stream only its rest, and the account nothing', async () => {
    const proxy = await startProxy({ kind: 'socks5' });
    const { gateway, tls } = await start(() => ({ SVC_PROXY_URL: proxy.url }));
    gateway.pool[0]?.at.next(streamSilent({ events: 4 }));
    const response = await gateway.ask();
    const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    const first = await reader.read();
    const before = tls.connections;
    await proxy.close();
    const rest: Uint8Array[] = [];
    for (let read = await reader.read(); !read.done; read = await reader.read()) rest.push(read.value);
    const events = eventsIn(Buffer.concat([first.value ?? new Uint8Array(), ...rest]).toString());
    expect(events.at(-1)).toMatchObject({
      event: 'response.failed',
      data: { response: { error: { code: 'stream_incomplete' } } },
    });
    expect(attemptsOf(gateway)).toEqual([{ outcome: 'proxy_cut', code: 'stream_incomplete', proxy: proxy.name }]);
    expect(await gateway.availability(gateway.pool[0]?.id as string)).toMatchObject({ state: 'available' });
    expect(tls.connections).toBe(before);
  });
});

describe('the proxy of an account', () => {
  test('goes before that of the environment, for its calls only and at once', async () => {
    const [shared, own] = [
      await startProxy({ kind: 'http' }),
      await startProxy({ kind: 'socks5', credentials: CREDENTIALS }),
    ];
    const { gateway, tls } = await start(() => ({ HTTPS_PROXY: shared.url }), { accounts: 2 });
    const [first, second] = gateway.pool.map(({ id }) => id);
    await (await gateway.ask()).text();
    await gateway.api('PATCH', `/api/accounts/${first}`, { proxy: own.url });
    const before = shared.asked.length;
    expect((await gateway.ask()).status).toBe(200);
    expect(own.asked).toEqual([`localhost:${tls.port}`]);
    await gateway.api('POST', `/api/accounts/${first}/pause`);
    expect((await gateway.ask()).status).toBe(200);
    await gateway.api('POST', `/api/accounts/${first}/reactivate`);
    await gateway.api('PATCH', `/api/accounts/${first}`, { proxy: null });
    expect((await gateway.ask()).status).toBe(200);
    expect(shared.asked.length).toBeGreaterThanOrEqual(before);
    expect(own.asked).toHaveLength(1);
    const { accountId } = gateway.events('RequestCompleted').at(-1)?.data ?? {};
    expect([first, second]).toContain(accountId);
    expect(attemptsOf(gateway).map(({ proxy }) => proxy)).toEqual([shared.name, own.name, shared.name, shared.name]);
  });

  test('that fails leaves the request to an account with another one', async () => {
    const own = await startProxy({ kind: 'http' });
    const { gateway } = await start(() => ({}), { accounts: 2 });
    await gateway.api('PATCH', `/api/accounts/${gateway.pool[0]?.id}`, { proxy: own.url });
    await own.close();
    expect((await gateway.ask()).status).toBe(200);
    expect(attemptsOf(gateway)).toEqual([
      { outcome: 'proxy_failed', code: 'proxy_unreachable', proxy: own.name },
      { outcome: 'ok', code: undefined, proxy: undefined },
    ]);
    expect(await problems(gateway)).toEqual([['outgoing_proxy_failing', own.name]]);
    await gateway.api('DELETE', `/api/accounts/${gateway.pool[0]?.id}`);
    expect(await problems(gateway)).toEqual([]);
    expect(gateway.output.at(-1)).toContain(`The proxy ${own.name} is not used any more`);
  });

  test('holds from its import on, and for signing the account in again', async () => {
    const own = await startProxy({ kind: 'http', credentials: CREDENTIALS });
    const { gateway, tls } = await start(() => ({}), { accounts: 0 });
    const at = gateway.provider.addAccount();
    const form = new FormData();
    form.set('auth_json', new Blob([JSON.stringify(at.authFile())]), 'auth.json');
    form.set('proxy', own.url);
    const { body } = await gateway.api('POST', '/api/accounts/import', form);
    await vi.waitUntil(() => gateway.events('AccountUsageObserved').length > 0, waitOptions);
    const operator = operatorOf(gateway);
    Object.assign(gateway.provider.authorization.script, { interval: '0.1', publicUrl: tls.at() });
    const flow = await operator.start({ forceMethod: 'device', accountId: body.account_id });
    gateway.provider.authorization.approve(flow.userCode, at);
    expect(await operator.waitUntilEnded(flow.flowId)).toMatchObject({ status: 'success', outcome: 'replaced' });
    expect((await operator.accounts())[0].proxy).toBe(own.name);
    await vi.waitUntil(() => tls.connections === own.asked.length, waitOptions);
  });

  test('a failing refresh through it neither cools nor deactivates the account', async () => {
    const own = await startProxy({ kind: 'http' });
    const { gateway } = await start(() => ({}), { accounts: 0 });
    const form = new FormData();
    const expiring = gateway.provider.addAccount({ accessExpiresInSeconds: 30 });
    form.set('auth_json', new Blob([JSON.stringify(expiring.authFile())]), 'auth.json');
    form.set('proxy', own.url);
    await own.close();
    const { body } = await gateway.api('POST', '/api/accounts/import', form);
    expect((await gateway.ask()).status).toBe(502);
    expect(attemptsOf(gateway)).toEqual([{ outcome: 'proxy_failed', code: 'token_refresh', proxy: own.name }]);
    expect(await problems(gateway)).toEqual([['outgoing_proxy_failing', own.name]]);
    expect(await gateway.availability(body.account_id)).toMatchObject({ state: 'available' });
  });
});
