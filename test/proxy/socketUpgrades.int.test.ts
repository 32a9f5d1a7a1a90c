import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { heldResponse } from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';

// Upgrades that no library sends, byte by byte.

const PATH = '/backend-api/svc/responses';
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ accounts: 0 });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.reset(1));

const FIELDS: Readonly<Record<string, string>> = {
  host: 'svc',
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

const headOf = (line: string, fields: Readonly<Record<string, string>> = FIELDS): string =>
  [line, ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');

const UPGRADE = headOf(`GET ${PATH} HTTP/1.1`);

/** A bare connection to the service. */
function connect() {
  const socket = connectTcp({ port: Number(new URL(gateway.url).port), host: '127.0.0.1' });
  socket.on('error', () => undefined);
  return socket;
}

/** @returns the status of the response to these bytes */
async function statusOf(bytes: string): Promise<number> {
  const socket = connect();
  socket.write(bytes);
  const [head] = await once(socket, 'data');
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(String(head))?.[1]);
}

test('accepts an upgrade in any case of its letters, with a query and with bytes behind it', async () => {
  expect(await statusOf(UPGRADE)).toBe(101);
  expect(await statusOf(headOf(`GET ${PATH}?client=1 HTTP/1.1`, { ...FIELDS, upgrade: 'WebSocket' }))).toBe(101);
  expect(await statusOf(`${UPGRADE}\x81\x80\0\0\0\0`)).toBe(101);
});

test.for<[string, string]>([
  ['of HTTP/1.0', headOf(`GET ${PATH} HTTP/1.0`)],
  ['with a body', `${headOf(`GET ${PATH} HTTP/1.1`, { ...FIELDS, 'content-length': '2' })}{}`],
  ['with a chunked body', `${headOf(`GET ${PATH} HTTP/1.1`, { ...FIELDS, 'transfer-encoding': 'chunked' })}0\r\n\r\n`],
  ['of a browser', headOf(`GET ${PATH} HTTP/1.1`, { ...FIELDS, origin: 'http://elsewhere' })],
  ['of another version', headOf(`GET ${PATH} HTTP/1.1`, { ...FIELDS, 'sec-websocket-version': '12' })],
  ['with a key that is none', headOf(`GET ${PATH} HTTP/1.1`, { ...FIELDS, 'sec-websocket-key': 'short' })],
  ['by POST', headOf(`POST ${PATH} HTTP/1.1`, { ...FIELDS, 'content-length': '0' })],
  ['by HEAD', headOf(`HEAD ${PATH} HTTP/1.1`)],
  ['of another path', headOf('GET /v1/models HTTP/1.1')],
])('answers an upgrade %s with 426', async ([, bytes]) => {
  expect(await statusOf(bytes)).toBe(426);
});

test('closes a connection with an upgrade behind a request that has no response yet', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  gateway.pool[0]?.at.next(heldResponse(released));
  const get = 'GET /v1/models HTTP/1.1\r\nhost: svc\r\n\r\n';
  const [one, two, held] = [get, get + get, postWith('x-twice: 1\r\nx-twice: 2\r\n')].map((before) => {
    const socket = connect();
    socket.write(before + UPGRADE);
    return text(socket);
  });
  await vi.waitUntil(() => gateway.pool[0]?.at.inFlight === 1, waitOptions);
  release();
  expect(statusesIn(await one)).toEqual(['200']);
  expect(statusesIn(await two)).toEqual(['200', '200']);
  expect(statusesIn(await held)).toEqual(['200']);
  expect(await held).toContain('response.completed');
});

test('upgrades a connection whose requests have had their responses', async () => {
  const socket = connect();
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
  });
  socket.write(postWith(''));
  await vi.waitUntil(() => received.includes('response.completed'), waitOptions);
  socket.write(UPGRADE);
  await vi.waitUntil(() => statusesIn(received).length === 2, waitOptions);
  expect(statusesIn(received)).toEqual(['200', '101']);
  socket.destroy();
});

const statusesIn = (received = '') => Array.from(received.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);

function postWith(fields: string): string {
  const body = JSON.stringify(validRequest);
  return `POST ${PATH} HTTP/1.1\r\nhost: svc\r\ncontent-length: ${body.length}\r\n${fields}\r\n${body}`;
}
