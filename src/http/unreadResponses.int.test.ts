import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type HttpServer, startHttpServer } from './server.ts';

const LONG = Buffer.alloc(32 * 1_048_576, 'x');

let server: HttpServer;
let client: Socket;
afterEach(async () => {
  client.destroy();
  await server.closed(0);
});

/** Starts a server and a client that requests a long response without reading it. */
async function start(unreadMs: number): Promise<{ closed: Promise<void> }> {
  let onClose = (): void => undefined;
  const closed = new Promise<void>((resolve) => {
    onClose = resolve;
  });
  server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    isProxyPath: () => false,
    proxy: () => undefined,
    operators: (request, response) => {
      request.socket.once('close', onClose);
      response.end(LONG);
    },
    unreadMs,
  });
  client = connect(Number(new URL(server.url).port), '127.0.0.1').pause();
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  return { closed };
}

test('disconnects a client that does not read its response', async () => {
  const { closed } = await start(200);
  await closed;
});

test('sends the complete response to a client that reads slowly', async () => {
  await start(1_500);
  let received = 0;
  client.on('data', (chunk) => {
    received += chunk.length;
    client.pause();
    setTimeout(() => client.resume(), 5);
  });
  client.resume();
  await expect.poll(() => received, { timeout: 20_000 }).toBeGreaterThan(LONG.length);
});
