import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { errorOf, type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { usageLimitReached } from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';
import { expectStream } from './expectStream.ts';

const hasNginx = spawnSync('nginx', ['-v']).error === undefined;
const SAMPLE = new URL('../../deploy/nginx/svc.conf', import.meta.url);

let gateway: Gateway;
let nginx: ChildProcess | undefined;
let folder: string;
let socketPath: string;
let errors = '';

/** The sample as it is, but for a socket instead of port 443 with certificates. */
function configuration(): string {
  const sample = readFileSync(SAMPLE, 'utf8')
    .replace('server 127.0.0.1:2455;', `server ${new URL(gateway.url).host};`)
    .replace('listen 443 ssl;', `listen unix:${socketPath};`)
    .replaceAll(/^\s*ssl_certificate.*$/gm, '');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr;
events {}
http { access_log off; ${temporary.join(' ')}
${sample}
}`;
}

beforeAll(async () => {
  if (!hasNginx) return;
  folder = mkdtempSync(join(tmpdir(), 'svc-nginx-'));
  socketPath = join(folder, 'nginx.sock');
  gateway = await startGateway({ accounts: 1 });
  mkdirSync(join(folder, 'logs'));
  writeFileSync(join(folder, 'nginx.conf'), configuration());
  nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
  nginx.stderr?.on('data', (text) => {
    errors += text;
  });
  await vi.waitUntil(() => existsSync(socketPath) || nginx?.exitCode !== null, waitOptions);
  expect([nginx.exitCode, errors]).toEqual([null, '']);
}, 60_000);
afterAll(async () => {
  nginx?.kill('SIGTERM');
  await gateway?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** Sends a request through nginx. Resolves with the head of its response. */
function send(
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const type =
      text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
    const sent = request({
      socketPath,
      method,
      path,
      agent: false,
      headers: { host: 'svc.example.com', ...type, ...headers },
    });
    sent.on('error', reject);
    sent.on('response', resolve);
    sent.end(text);
  });
}
const textOf = async (response: IncomingMessage) => {
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
};
const ask = (headers?: Record<string, string>) =>
  send('POST', '/v1/responses', { body: validRequest, ...(headers && { headers }) });

describe.skipIf(!hasNginx)('behind the nginx of deploy/nginx/svc.conf', () => {
  test('the first events of a stream arrive while the provider holds back the rest', () => expectStream(gateway, ask));

  test('refusals arrive as svc sends them', async () => {
    gateway.pool[0]?.at.next(usageLimitReached());
    await textOf(await ask());
    const direct = await gateway.ask(validRequest, { path: '/v1/responses' });
    const limited = await ask();
    expect([limited.statusCode, limited.headers['retry-after'] === undefined]).toEqual([
      429,
      direct.headers.get('retry-after') === null,
    ]);
    expect(JSON.parse(await textOf(limited)).error.code).toBe((await errorOf(direct)).code);
    await gateway.reset(1);
    const id = gateway.pool[0]?.id;
    await gateway.api('POST', `/api/accounts/${id}/pause`);
    const unavailable = await ask();
    await gateway.api('POST', `/api/accounts/${id}/reactivate`);
    expect([unavailable.statusCode, JSON.parse(await textOf(unavailable)).error.code]).toEqual([503, 'no_accounts']);
  });

  test('svc sees the upgrade to a websocket, and refuses it itself', async () => {
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'x',
      'sec-websocket-version': '13',
    };
    const response = await send('GET', '/backend-api/svc/responses', { headers: upgrade });
    expect([response.statusCode, JSON.parse(await textOf(response)).error.code]).toEqual([426, 'upgrade_required']);
  });

  test('probes and metrics stay inside, and management takes no client for one of this machine', async () => {
    for (const path of ['/metrics', '/ready']) {
      const response = await send('GET', path);
      response.resume();
      expect([path, response.statusCode]).toEqual([path, 404]);
    }
    const management = await send('GET', '/api/accounts');
    expect(management.statusCode).toBe(401);
    expect(await textOf(management)).toContain('the request was forwarded');
  });
});
