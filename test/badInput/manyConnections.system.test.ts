import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startProvider } from '../support/provider/provider.ts';
import { waitOptions } from '../support/waitOptions.ts';
import { startServiceProcess } from './support/serviceProcess.ts';

const CONNECTIONS = 900;
const SOMAXCONN = '/proc/sys/net/core/somaxconn';
const allowed = process.platform === 'linux' ? Number(readFileSync(SOMAXCONN, 'utf8')) : 0;

test.skipIf(allowed < CONNECTIONS)('accepts the connections of a burst that came while it was busy', async () => {
  const provider = await startProvider();
  onTestFinished(() => provider.close());
  const service = await startServiceProcess(provider);
  onTestFinished(async () => void (await service.stop()));
  const port = Number(new URL(service.url).port);
  let connected = 0;
  service.signal('SIGSTOP');
  const sockets = Array.from({ length: CONNECTIONS }, (): Socket => {
    const socket = connect(port, '127.0.0.1', () => {
      connected += 1;
    });
    return socket.on('error', () => undefined);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  try {
    await vi.waitUntil(() => connected === CONNECTIONS, waitOptions);
  } finally {
    service.signal('SIGCONT');
  }
  expect((await fetch(`${service.url}/health`)).status).toBe(200);
});
