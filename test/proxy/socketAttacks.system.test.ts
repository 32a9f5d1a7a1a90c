import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { message } from '../support/provider/parts.ts';
import { responseEvents } from '../support/provider/responseEvents.ts';
import { delayedUntil, stream, streamSilent, textResponse } from '../support/provider/scripts.ts';
import { scrape } from '../support/scrape.ts';
import { openStrictSocket, type StrictSocket, UpgradeRefused } from '../support/strictSocket.ts';
import { waitOptions } from '../support/waitOptions.ts';

const PATH = '/backend-api/svc/responses';
const MiB = 1_048_576;
const CREATE = { type: 'response.create', ...validRequest };

let gateway: Gateway;
const open: StrictSocket[] = [];
beforeAll(async () => {
  gateway = await startGateway({ accounts: 0, env: { SVC_WEBSOCKET_DEFLATE: 'true' } });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.reset(1));
afterEach(async () => {
  await Promise.all(open.splice(0).map((socket) => socket.leave()));
});

async function connect(options: { deflate?: boolean } = {}): Promise<StrictSocket> {
  const socket = await openStrictSocket(gateway.url + PATH, options);
  open.push(socket);
  return socket;
}

const LONG_BYTES = 400 * 64 * 1_024;
/** 25 MiB in 400 events, none of which repeats the text. */
const LONG = stream('long', (context) => {
  const deltas = Array.from({ length: 400 }, () => 'x'.repeat(LONG_BYTES / 400));
  return responseEvents(context, { parts: [message(deltas, { leaveOpen: true })] });
});

const openRequests = async (): Promise<number> => (await scrape(gateway.url)).sum('svc_open_requests');

/** The service serves others as before. */
async function expectServing(): Promise<void> {
  const socket = await connect();
  expect((await socket.create(validRequest)).terminal?.type).toBe('response.completed');
  expect(socket.problems).toEqual([]);
}

test('closes a socket whose compressed message is larger inflated than a message may be', async () => {
  const socket = await connect({ deflate: true });
  expect(socket.headers['sec-websocket-extensions']).toContain('permessage-deflate');
  socket.socket.send(JSON.stringify({ ...CREATE, instructions: '0'.repeat(48 * MiB) }));
  expect(await socket.untilClosed()).toBe(1009);
  expect(gateway.asked().filter(({ method }) => method === 'WEBSOCKET')).toEqual([]);
  await expectServing();
});

test('reads a message of 10,000 fragments, and closes a socket that sends more than 16,384', async () => {
  const pieces = (socket: WebSocket, count: number): void => {
    const bytes = Buffer.from(JSON.stringify({ ...CREATE, instructions: 'x'.repeat(20_000) }));
    const size = Math.ceil(bytes.length / count);
    for (let at = 0, sent = 0; sent < count; at += size, sent++)
      socket.send(bytes.subarray(at, at + size), { binary: false, fin: sent === count - 1 });
  };
  const socket = await connect();
  const completed = new Promise<void>((resolve) =>
    socket.socket.on('message', (data) => String(data).includes('"response.completed"') && resolve()),
  );
  pieces(socket.socket, 10_000);
  await completed;
  const flood = await connect();
  pieces(flood.socket, 16_385);
  expect(await flood.untilClosed()).toBe(1008);
  await expectServing();
});

test('closes a socket with binary or unreadable messages, and records no request for them', async () => {
  const ends: number[] = [];
  for (const send of [
    (socket: WebSocket) => socket.send(Buffer.from(JSON.stringify(CREATE))),
    (socket: WebSocket) => socket.send(Buffer.from([0xff, 0xfe]), { binary: false }),
  ]) {
    const socket = await connect();
    send(socket.socket);
    ends.push(await socket.untilClosed());
  }
  expect(ends).toEqual([1003, 1007]);
  expect(gateway.events('RequestRefused')).toEqual([]);
  await expectServing();
});

test('survives a flood of requests while a response is in progress, and ends that one once', async () => {
  const [account] = gateway.pool;
  account?.at.next(streamSilent());
  const socket = new WebSocket((gateway.url + PATH).replace('http', 'ws'));
  const statuses: unknown[] = [];
  socket.on('message', (data) => statuses.push(JSON.parse(String(data)).status));
  await once(socket, 'open');
  socket.send(JSON.stringify(CREATE));
  await vi.waitUntil(() => account?.at.inFlight === 1, waitOptions);
  for (let sent = 0; sent < 500; sent++) socket.send(JSON.stringify(CREATE));
  const [code] = await once(socket, 'close');
  expect(code).toBe(1008);
  expect(statuses.filter((status) => status === 400).length).toBeLessThanOrEqual(17);
  await vi.waitFor(async () => expect(await openRequests()).toBe(0), waitOptions);
  expect(gateway.events('RequestCompleted')).toHaveLength(1);
  expect(account?.at.received.filter(({ method }) => method === 'WEBSOCKET')).toHaveLength(1);
});

test('holds no more sockets of a client than it may have in a flood of upgrades', async () => {
  const [account] = gateway.pool;
  const attempts = await Promise.allSettled(
    Array.from({ length: 200 }, () => openStrictSocket(gateway.url + PATH).then((socket) => open.push(socket))),
  );
  const refused = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason] : []));
  for (const reason of refused) expect(reason).toBeInstanceOf(UpgradeRefused);
  await vi.waitFor(() => {
    const held = open.filter(({ closeCode }) => closeCode === undefined).length;
    expect(held).toBeLessThanOrEqual(64);
    expect(account?.at.sockets.length).toBeLessThanOrEqual(64);
  }, waitOptions);
  const used = open.find(({ closeCode }) => closeCode === undefined);
  expect((await used?.create(validRequest))?.terminal?.type).toBe('response.completed');
});

test('buffers a bounded part of a response that a client does not read, and delivers it when it does', async () => {
  const [account] = gateway.pool;
  account?.at.next(LONG);
  const socket = await connect();
  const response = socket.create(validRequest);
  socket.socket.pause();
  const sent = () => account?.at.received.findLast(({ method }) => method === 'WEBSOCKET')?.sentBytes ?? 0;
  // The provider stops when the kernel's buffers on both connections are full.
  let before = -1;
  await vi.waitFor(
    () => {
      const now = sent();
      const hasStopped = now > MiB && now === before;
      before = now;
      expect(hasStopped).toBe(true);
    },
    { ...waitOptions, interval: 500 },
  );
  expect(before).toBeLessThan(LONG_BYTES);
  socket.socket.resume();
  const { terminal, frames } = await response;
  expect(terminal?.type).toBe('response.completed');
  expect(frames.reduce((sum, { delta = '' }) => sum + delta.length, 0)).toBe(LONG_BYTES);
  expect(socket.problems).toEqual([]);
});

test('ends the response of a client that stops reading and leaves', async () => {
  const [account] = gateway.pool;
  account?.at.next(LONG);
  const socket = await connect();
  const response = socket.create(validRequest);
  socket.socket.pause();
  await vi.waitUntil(() => (account?.at.received.at(-1)?.sentBytes ?? 0) > MiB, waitOptions);
  await socket.leave();
  expect((await response).terminal).toBeUndefined();
  await vi.waitFor(async () => {
    expect(await openRequests()).toBe(0);
    expect(account?.at.sockets).toEqual([]);
  }, waitOptions);
  expect(gateway.events('RequestCompleted')).toHaveLength(1);
});

test('passes nothing of the provider to a client between two responses, and no message that is not text', async () => {
  const [account] = gateway.pool;
  const socket = await connect();
  await socket.create(validRequest);
  account?.at.sockets[0]?.send({ type: 'response.completed', response: { id: 'resp_stray' } });
  account?.at.sockets[0]?.send({ type: 'error', status: 500, error: { message: 'stray' } });
  const { terminal } = await socket.create(validRequest);
  expect(terminal?.type).toBe('response.completed');
  account?.at.next({ name: 'binary', steps: [{ message: Buffer.from([1]), isBinary: true }] }, textResponse());
  const last = await socket.create(validRequest);
  expect([last.terminal?.type, socket.problems]).toEqual([expect.any(String), []]);
});

test('sends nothing after the terminal message of a response', async () => {
  const [account] = gateway.pool;
  const twice = stream('twice', function* () {
    const response = { id: 'resp_1', status: 'completed', output: [], usage: null };
    yield { event: { type: 'response.created', response } };
    yield { event: { type: 'response.completed', response } };
    yield { event: { type: 'response.completed', response } };
    yield { event: { type: 'error', status: 500, error: { message: 'late' } } };
  });
  account?.at.next(twice);
  const socket = await connect();
  expect((await socket.create(validRequest)).terminal?.type).toBe('response.completed');
  expect((await socket.create(validRequest)).terminal?.type).toBe('response.completed');
  expect(socket.problems).toEqual([]);
  expect(gateway.events('RequestCompleted').map(({ data }) => data.status)).toEqual(['200', '200']);
});

test('ends a request once whose client leaves while its account is being asked', async () => {
  const [account] = gateway.pool;
  const { promise, resolve } = Promise.withResolvers<void>();
  account?.at.next(delayedUntil(promise, textResponse()));
  const socket = await connect();
  const response = socket.create(validRequest);
  await vi.waitUntil(() => account?.at.inFlight === 1, waitOptions);
  await socket.leave();
  resolve();
  expect((await response).terminal).toBeUndefined();
  await vi.waitFor(async () => expect(await openRequests()).toBe(0), waitOptions);
  expect(gateway.events('RequestCompleted')).toMatchObject([
    { data: { status: 'error', errorCode: expect.any(String) } },
  ]);
});
