import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { managementApi } from '../durability/support/managementApi.ts';
import { serve } from '../durability/support/serve.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { certificate } from '../support/certificate.ts';
import { validRequest } from '../support/gateway.ts';
import { startProvider } from '../support/provider/provider.ts';
import { streamSilent } from '../support/provider/scripts.ts';
import { startProxyProcess } from '../support/proxies/proxyProcess.ts';
import type { ProxyKind, ProxyProgramOptions } from '../support/proxies/proxyProgram.ts';
import { startTlsProvider } from '../support/proxies/tlsProvider.ts';

// svc, a proxy program and the provider as processes of their own; svc trusts the certificate by NODE_EXTRA_CA_CERTS.

const CREDENTIALS = { username: 'svc', password: 'p4ss:w@rd' };
const KINDS: readonly ProxyKind[] = ['http', 'https', 'socks5'];

async function startProxy(options: ProxyProgramOptions) {
  const proxy = await startProxyProcess(options);
  onTestFinished(() => proxy.kill());
  return proxy;
}

async function start(env: Readonly<Record<string, string>>, { trusts = true } = {}) {
  const folder = await tempDir('proxies');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const provider = await startProvider();
  onTestFinished(() => provider.close());
  const tls = await startTlsProvider(provider.baseUrl);
  onTestFinished(() => tls.close());
  const authorities = join(folder.path, 'authorities.pem');
  await writeFile(authorities, certificate.cert);
  const service = serve({
    folder: folder.path,
    provider: { baseUrl: `${tls.at()}/backend-api`, authUrl: tls.at() },
    env: { ...env, ...(trusts && { NODE_EXTRA_CA_CERTS: authorities }) },
  });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const url = await service.listening();
  const api = managementApi(url);
  const account = provider.addAccount();
  const id = await api.importAccount(account);
  const ask = () =>
    fetch(`${url}/backend-api/svc/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(validRequest),
    });
  const problems = async (): Promise<{ code: string; subject: string; cause: string; remedy: string }[]> =>
    (await api.call('GET', '/api/status')).problems.filter(
      ({ code }: { code: string }) => code === 'outgoing_proxy_failing',
    );
  const availability = async () => (await api.call('GET', '/api/accounts')).accounts[0].availability.state;
  return { provider, tls, service, api, account, id, ask, problems, availability };
}

describe.each(KINDS)('a proxy program of kind %s', (kind) => {
  test('that is killed within a stream fails what goes through it until it runs again', async () => {
    const proxy = await startProxy({ kind, credentials: CREDENTIALS });
    const { ask, account, tls, problems, availability, service } = await start({ SVC_PROXY_URL: proxy.url });
    expect(await (await ask()).text()).toContain('response.completed');
    account.next(streamSilent({ events: 4 }));
    const stream = await ask();
    await proxy.kill();
    expect(await stream.text()).toContain('stream_incomplete');
    const before = tls.connections;
    expect((await ask()).status).toBe(502);
    expect([tls.connections, await availability()]).toEqual([before, 'available']);
    expect(await problems()).toMatchObject([
      { subject: proxy.name, cause: expect.stringContaining('cannot be reached (ECONNREFUSED)') },
    ]);
    await startProxy({ kind, credentials: CREDENTIALS, port: Number(new URL(proxy.url).port) });
    expect(await (await ask()).text()).toContain('response.completed');
    const { stdout, stderr } = await service.stop();
    expect([...stdout, ...stderr].join('\n')).not.toContain('p4ss');
  });
});

test('a proxy program that stops responding costs a request five seconds once, and no account', async () => {
  const proxy = await startProxy({ kind: 'http' });
  const { ask, problems, availability, account } = await start({ https_proxy: proxy.url });
  // Uses the connections that are open.
  expect(await (await ask()).text()).toContain('response.completed');
  account.next(streamSilent({ events: 4 }));
  const held = await ask();
  proxy.freeze();
  const startedAt = performance.now();
  const [response, next] = await Promise.all([ask(), ask()]);
  expect([response.status, next.status]).toEqual([502, 502]);
  expect(performance.now() - startedAt).toBeLessThan(9_000);
  expect((await ask()).status).toBe(502);
  expect([(await problems())[0]?.cause, await availability()]).toEqual([
    expect.stringContaining('did not open a connection to the provider within 5000 ms'),
    'available',
  ]);
  await held.body?.cancel();
});

test('without NODE_EXTRA_CA_CERTS the problem names it', async () => {
  const proxy = await startProxy({ kind: 'http' });
  const { ask, problems, availability } = await start({ HTTPS_PROXY: proxy.url }, { trusts: false });
  expect((await ask()).status).toBe(502);
  expect(await problems()).toMatchObject([
    {
      cause: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT'),
      remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    },
  ]);
  expect(await availability()).toBe('available');
});

test('the problem of a proxy is over by itself once it runs', async () => {
  const proxy = await startProxy({ kind: 'socks5' });
  const { ask, problems } = await start({ SVC_PROXY_URL: proxy.url });
  await proxy.kill();
  expect((await ask()).status).toBe(502);
  expect(await problems()).toHaveLength(1);
  await startProxy({ kind: 'socks5', port: Number(new URL(proxy.url).port) });
  await vi.waitUntil(async () => (await problems()).length === 0, { timeout: 40_000, interval: 250 });
}, 60_000);

test('an invalid address stops the start by name, without its text', async () => {
  const folder = await tempDir('proxies');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const service = serve({ folder: folder.path, env: { https_proxy: 'ftp://svc:p4ss@proxy.test' } });
  const { exitCode, stdout, stderr } = await service.ended;
  const output = [...stdout, ...stderr].join('\n');
  expect(exitCode).not.toBe(0);
  expect(output).toContain('https_proxy: must be the address of an http, https or socks5 proxy');
  expect(output).not.toContain('p4ss');
});
