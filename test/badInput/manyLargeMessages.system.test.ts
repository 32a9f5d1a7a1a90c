import { once } from 'node:events';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { validRequest } from '../support/gateway.ts';
import { type Provider, startProvider } from '../support/provider/provider.ts';
import { waitOptions } from '../support/waitOptions.ts';
import { type ServiceProcess, startServiceProcess } from './support/serviceProcess.ts';

const MIB = 1_048_576;
/** Together more than the memory of all requests: half of the maximum heap, 76 MiB, of which three quarters are for large ones. */
const CLIENTS = 12;
const BEGUN_BYTES = 8 * MIB;

let provider: Provider;
let service: ServiceProcess;
beforeAll(async () => {
  provider = await startProvider({ maxReceived: 10 });
  const flags = ['--max-old-space-size=128', '--max-semi-space-size=8'];
  service = await startServiceProcess(provider, { flags, env: { SVC_WEBSOCKET_DEFLATE: 'true' } });
});
afterAll(async () => {
  await service.stop();
  await provider.close();
});

test.for([
  ['messages', false],
  // 8 kB each, as they arrive.
  ['compressed messages', true],
] as const)(
  'refuses %s that do not fit into memory while they arrive, and serves others',
  {
    timeout: 120_000,
  },
  async ([, perMessageDeflate]) => {
    const codes: number[] = [];
    const errors: { status: number; error: { code: string }; headers: object }[] = [];
    const begin = async (): Promise<WebSocket> => {
      const socket = new WebSocket(`${service.url.replace('http', 'ws')}/v1/responses`, { perMessageDeflate });
      socket.on('error', () => undefined);
      socket.on('message', (data) => errors.push(JSON.parse(String(data))));
      socket.on('close', (code) => codes.push(code));
      await once(socket, 'open');
      socket.send(Buffer.alloc(BEGUN_BYTES, '{'), { binary: false, fin: false });
      return socket;
    };
    const sockets = await Promise.all(Array.from({ length: CLIENTS }, begin));
    onTestFinished(() => {
      for (const socket of sockets) socket.terminate();
    });
    await vi.waitUntil(() => codes.length > 0, { ...waitOptions, timeout: 30_000 });
    expect(codes.length).toBeLessThan(CLIENTS);
    for (const error of errors) {
      expect(error).toMatchObject({ status: 503, error: { code: 'overloaded' }, headers: { 'retry-after': '2' } });
    }
    const response = await fetch(`${service.url}/v1/responses`, { method: 'POST', body: JSON.stringify(validRequest) });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('response.completed')]);

    for (const socket of sockets) socket.terminate();
    await vi.waitUntil(() => codes.length === CLIENTS, waitOptions);
    const memoryIsFree = async (): Promise<boolean> => {
      const body = JSON.stringify({ ...validRequest, instructions: 'word '.repeat(BEGUN_BYTES / 5) });
      const large = await fetch(`${service.url}/v1/responses`, { method: 'POST', body });
      await large.text();
      return large.status === 200;
    };
    await vi.waitUntil(memoryIsFree, { timeout: 30_000, interval: 200 });
  },
);
