import { connect as connectTcp } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { cutAtByte, textResponse } from '../support/provider/scripts.ts';
import { createRandom } from '../support/random.ts';
import { thoroughness } from '../support/runs.ts';
import { scrape } from '../support/scrape.ts';
import { openStrictSocket } from '../support/strictSocket.ts';
import { waitOptions } from '../support/waitOptions.ts';

// A connection may break at any byte: each request then has one end in the log, and reserves nothing any more.

const PATH = '/backend-api/svc/responses';
let gateway: Gateway;
let key: { id: string; key: string };
beforeAll(async () => {
  gateway = await startGateway({ accounts: 0 });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  await gateway.reset(2);
  await gateway.set({ api_key_auth_enabled: true });
  const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000_000_000 }];
  key = (await gateway.api('POST', '/api/api-keys', { name: 'limited', limits })).body;
});

const authorization = () => ({ authorization: `Bearer ${key.key}` });

/** The first bytes, the last ones, and some between. */
function placesIn(length: number, count: number, seed: number): number[] {
  const random = createRandom(seed);
  const between = Array.from({ length: Math.ceil(count * thoroughness) }, () => random.below(length));
  const edges = [0, 1, 2, 3, 4, 5, length - 2, length - 1];
  return [...new Set([...edges, ...between])].sort((a, b) => a - b);
}

/** Every request has ended once, and the next one finds no reservation but its own. */
async function expectSettled(requests: number): Promise<void> {
  await vi.waitFor(async () => {
    const scraped = await scrape(gateway.url);
    expect([scraped.sum('svc_open_requests'), gateway.events('RequestCompleted').length]).toEqual([0, requests]);
  }, waitOptions);
  const ids = gateway.events('RequestCompleted').map(({ data }) => data.requestId);
  expect(new Set(ids).size).toBe(requests);
  expect(gateway.events('RequestCompleted').every(({ data }) => data.transport === 'websocket')).toBe(true);
  expect((await gateway.ask(validRequest, { headers: authorization() })).status).toBe(200);
  await vi.waitFor(() => expect(gateway.events('RequestCompleted')).toHaveLength(requests + 1), waitOptions);
  const last = gateway.events('RequestCompleted').at(-1)?.data.admission?.reserved;
  expect(last?.map(([, , , amount]) => amount)).toEqual([0]);
}

const SCRIPT = textResponse({ deltas: 3 });

/** Length of a response's messages on the wire, from the provider. */
async function bytesOfResponse(): Promise<number> {
  const socket = await openStrictSocket(gateway.url + PATH, { headers: authorization() });
  const { frames } = await socket.create(validRequest);
  await socket.leave();
  await vi.waitFor(() => expect(gateway.events('RequestCompleted')).toHaveLength(1), waitOptions);
  return frames.reduce((sum, frame) => sum + JSON.stringify(frame).length + 4, 0);
}

test("ends each request once wherever the provider's connection breaks", async () => {
  const [first, second] = gateway.pool;
  first?.at.always(SCRIPT);
  second?.at.always(SCRIPT);
  const places = placesIn(await bytesOfResponse(), 60, 1);
  const ends: (string | undefined)[] = [];
  for (const place of places) {
    const socket = await openStrictSocket(gateway.url + PATH, { headers: authorization() });
    first?.at.next(cutAtByte(place, SCRIPT));
    const { terminal, closeCode } = await socket.create(validRequest);
    expect([place, socket.problems]).toEqual([place, []]);
    ends.push(terminal?.type ?? `closed ${closeCode}`);
    await socket.leave();
  }
  await expectSettled(places.length + 1);
  // Before the first event another account responds; afterwards the client gets an error, or its socket is closed.
  expect(ends[0]).toBe('response.completed');
  const others = ends.filter((end) => end !== 'response.completed');
  expect(others.length).toBeGreaterThan(0);
});

test('ends each request once wherever the connection of a client breaks while it reads', async () => {
  const places = placesIn(await bytesOfResponse(), 40, 2);
  for (const place of places) await readOnly(place);
  await expectSettled(places.length + 1);
});

test('begins no request for a message that breaks off', async () => {
  const { length } = frameOf(CREATE);
  const places = placesIn(length, 40, 3).filter((place) => place < length);
  for (const place of places) await sendOnly(place);
  await vi.waitFor(() => {
    for (const { at } of gateway.pool) expect(at.sockets).toHaveLength(0);
  }, waitOptions);
  expect(gateway.events('RequestRefused')).toEqual([]);
  await bytesOfResponse();
  await expectSettled(1);
});

const CREATE = JSON.stringify({ type: 'response.create', ...validRequest });

/** A text frame as a client sends it, with a mask of zeros. */
function frameOf(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0]);
  return Buffer.concat([head, payload]);
}

/** Upgrades a bare connection. */
async function upgraded() {
  const socket = connectTcp({ port: Number(new URL(gateway.url).port), host: '127.0.0.1' });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(
    `GET ${PATH} HTTP/1.1\r\nhost: svc\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n` +
      `sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nauthorization: Bearer ${key.key}\r\n\r\n`,
  );
  let read = Buffer.alloc(0);
  const head = new Promise<void>((resolve) => {
    const onData = (bytes: Buffer): void => {
      read = Buffer.concat([read, bytes]);
      if (!read.includes('\r\n\r\n')) return;
      socket.off('data', onData);
      resolve();
    };
    socket.on('data', onData);
  });
  await Promise.race([head, closed]);
  expect(read.toString('latin1', 0, 12)).toBe('HTTP/1.1 101');
  return { socket, closed };
}

/** Sends a request and breaks off when that many bytes of the response have arrived. */
async function readOnly(bytes: number): Promise<void> {
  const { socket, closed } = await upgraded();
  let remaining = bytes;
  socket.on('data', (read) => {
    remaining -= read.length;
    if (remaining <= 0) socket.resetAndDestroy();
  });
  socket.write(frameOf(CREATE), () => {
    if (bytes === 0) socket.resetAndDestroy();
  });
  await closed;
}

/** Sends the first bytes of a request and breaks off. */
async function sendOnly(bytes: number): Promise<void> {
  const { socket, closed } = await upgraded();
  if (bytes > 0) await new Promise((handedOver) => socket.write(frameOf(CREATE).subarray(0, bytes), handedOver));
  socket.destroy();
  await closed;
}
