import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';

// A provider that closes the connections that it has promised to keep.

let gateway: Gateway | undefined;
let server: Server | undefined;
afterEach(async () => {
  await gateway?.stop();
  server?.close();
  gateway = undefined;
});

const REQUESTS = 400;
const CONCURRENT = 8;
const END_OF_RESPONSE = '0\r\n\r\n';

/** Forwards to the provider, and closes each connection 0 to 3 ms after the end of a response that asks to keep it. */
async function closingEach(baseUrl: string): Promise<string> {
  const provider = new URL(baseUrl);
  let responses = 0;
  server = createServer((client) => {
    const upstream = connect({ host: provider.hostname, port: Number(provider.port) });
    client.on('data', (bytes) => upstream.write(bytes)).on('error', () => upstream.destroy());
    client.on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    upstream.on('data', (bytes) => {
      client.write(bytes);
      if (!bytes.subarray(-END_OF_RESPONSE.length).equals(Buffer.from(END_OF_RESPONSE))) return;
      responses += 1;
      const delay = responses % 5;
      if (delay === 0) client.end();
      else setTimeout(() => client.end(), delay - 1);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${provider.pathname}`;
}

test.each([
  ['plain HTTP', 'true'],
  ['undici', 'false'],
])('with %s, no request fails because the provider closes kept connections', async (_what, SVC_PLAIN_HTTP) => {
  const started = await startGateway({ between: closingEach, env: { SVC_PLAIN_HTTP } });
  gateway = started;
  const statuses: number[] = [];
  const askInTurn = async () => {
    while (statuses.length < REQUESTS) {
      const response = await started.ask();
      statuses.push(response.status);
      await response.text();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, askInTurn));
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  const attempts = started.events('RequestCompleted').flatMap(({ data }) => data.attempts);
  expect(attempts.map(({ outcome }) => outcome).filter((outcome) => outcome !== 'ok')).toEqual([]);
  expect(started.events('AccountsCooled')).toEqual([]);
});
