import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { usageLimitReached } from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';
import { expectStream } from './expectStream.ts';

const hasCaddy = spawnSync('caddy', ['version']).error === undefined;
const SAMPLE = new URL('../../deploy/caddy/Caddyfile', import.meta.url);
/** A new key of each handshake would be as good. */
const SOCKET_KEY = 'dGhlIHNhbXBsZSBub25jZQ==';

let gateway: Gateway;
let caddy: ChildProcess | undefined;
let folder: string;
let port: number;
let errors = '';

/** The sample as it is, but for a free port of this machine instead of 443 with certificates. */
const configuration = (): string => `{
	admin off
	auto_https off
}
${readFileSync(SAMPLE, 'utf8')
  .replace('127.0.0.1:2455', new URL(gateway.url).host)
  .replace('svc.example.com {', `http://svc.example.com:${port} {\n\tbind 127.0.0.1`)}`;

/** Caddy cannot be told to take any port and to say which one, and behind a Unix socket it names no client to svc. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}

const isListening = () =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => resolve(false));
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });

beforeAll(async () => {
  if (!hasCaddy) return;
  folder = mkdtempSync(join(tmpdir(), 'svc-caddy-'));
  port = await freePort();
  gateway = await startGateway({ accounts: 1 });
  const path = join(folder, 'Caddyfile');
  writeFileSync(path, configuration());
  const env = { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  caddy = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', path], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  caddy.stderr?.on('data', (text) => {
    errors += text;
  });
  await vi.waitUntil(() => caddy?.exitCode !== null || isListening(), waitOptions);
  expect(caddy.exitCode, errors).toBeNull();
}, 60_000);
afterAll(async () => {
  caddy?.kill('SIGTERM');
  await gateway?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** Sends a request through Caddy. Resolves with the head of its response, also of one that switches protocols. */
function send(method: string, path: string, headers: Record<string, string> = {}, body?: unknown) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const sent = request({
      ...{ port, host: '127.0.0.1', method, path, agent: false },
      headers: {
        host: 'svc.example.com',
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        ...headers,
      },
    });
    sent.on('error', reject);
    sent.on('response', resolve);
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    sent.end(text);
  });
}
const textOf = async (response: IncomingMessage) => {
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
};
const ask = () => send('POST', '/v1/responses', {}, validRequest);

describe.skipIf(!hasCaddy)('behind the Caddy of deploy/caddy/Caddyfile', () => {
  test('the first events of a stream arrive while the provider holds back the rest', () => expectStream(gateway, ask));

  test('a websocket is opened through it', async () => {
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const response = await send('GET', '/backend-api/svc/responses', { ...upgrade, 'sec-websocket-key': SOCKET_KEY });
    expect(response.statusCode).toBe(101);
  });

  test('a refusal arrives as svc sends it, and the request is sent once', async () => {
    const before = gateway.pool[0]?.at.received.length ?? 0;
    gateway.pool[0]?.at.next(usageLimitReached());
    const limited = await ask();
    expect([limited.statusCode, JSON.parse(await textOf(limited)).error.type]).toEqual([429, 'usage_limit_reached']);
    expect(gateway.pool[0]?.at.received.length).toBe(before + 1);
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
