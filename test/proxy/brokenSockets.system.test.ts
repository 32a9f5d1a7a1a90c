import { connect as connectTcp } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import type { SimulatedAccount } from '../support/provider/account.ts';
import type { ResponseScript, Step } from '../support/provider/responseScript.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { scrape } from '../support/scrape.ts';
import { openStrictSocket } from '../support/strictSocket.ts';
import { waitOptions } from '../support/waitOptions.ts';

// A connection may break at any byte, and each one is tried: every request has one end in the log, and reserves nothing any more.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
const PATH = '/backend-api/svc/responses';
let gateway: Gateway;
let accounts: SimulatedAccount[];
let key: { id: string; key: string };
beforeAll(async () => {
  gateway = await startGateway({ accounts: 0 });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  await gateway.reset(0);
  accounts = [];
  await addAccounts(2);
  await gateway.set({ api_key_auth_enabled: true });
  const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000_000_000 }];
  key = (await gateway.api('POST', '/api/api-keys', { name: 'limited', limits })).body;
});

async function addAccounts(count: number): Promise<void> {
  for (let added = 0; added < count; added += 1) {
    const account = gateway.provider.addAccount();
    account.socketEvents = () => [];
    account.responses.always({ name: 'short', steps: SHORT });
    await gateway.importAccount(account);
    accounts.push(account);
  }
}

const authorization = () => ({ authorization: `Bearer ${key.key}` });

/** Breaks off at every byte of so many, at several at once. */
async function atEveryByte(length: number, breakOff: (place: number) => Promise<void>): Promise<void> {
  const places = Array.from({ length }, (_, place) => place);
  const next = async (): Promise<void> => {
    for (let place = places.shift(); place !== undefined; place = places.shift()) await breakOff(place);
  };
  await Promise.all(Array.from({ length: 12 }, next));
}

/** Every request has ended once, and the next one finds no reservation but its own. */
async function expectSettled(isCount: (requests: number) => boolean): Promise<void> {
  await vi.waitFor(
    async () => {
      const [scraped, { body: status }] = [await scrape(gateway.url), await gateway.api('GET', '/api/status')];
      const sockets = accounts.flatMap((account) => account.sockets);
      expect([scraped.sum('svc_open_requests'), status.websockets.open, sockets]).toEqual([0, 0, []]);
    },
    { ...waitOptions, interval: 100 },
  );
  const completed = gateway.events('RequestCompleted').map(({ data }) => data);
  expect(completed.length).toSatisfy(isCount);
  expect(new Set(completed.map(({ requestId }) => requestId)).size).toBe(completed.length);
  expect(completed.every(({ transport }) => transport === 'websocket')).toBe(true);
  for (const account of accounts) account.responses.always(textResponse());
  expect((await gateway.ask(validRequest, { headers: authorization() })).status).toBe(200);
  await vi.waitFor(() => expect(gateway.events('RequestCompleted')).toHaveLength(completed.length + 1), waitOptions);
  const last = gateway.events('RequestCompleted').at(-1)?.data.admission?.reserved;
  expect(last?.map(([, , , amount]) => amount)).toEqual([0]);
}

/** The shortest response. */
const SHORT: readonly Step[] = [
  { event: { type: 'response.created', response: { id: 'r' } } },
  { event: { type: 'response.completed', response: { id: 'r', output: [] } } },
];

/** The bytes of SHORT on the wire. @param splitEveryBytes payload of a frame, up to 125 */
async function bytesOfResponse(splitEveryBytes?: number): Promise<number> {
  const socket = await openStrictSocket(gateway.url + PATH, { headers: authorization() });
  const { frames } = await socket.create(validRequest);
  await socket.leave();
  return frames.reduce((sum, frame) => {
    const { length } = JSON.stringify(frame);
    if (splitEveryBytes !== undefined) return sum + length + 2 * Math.ceil(length / splitEveryBytes);
    return sum + (length < 126 ? 2 : 4) + length;
  }, 0);
}

test.for([
  ['in one frame', undefined],
  ['in frames of 5 bytes', 5],
] as const)('ends each request once wherever a message of the provider %s breaks', async ([, splitEveryBytes]) => {
  const fragmentation = { ...(splitEveryBytes !== undefined && { splitEveryBytes }) };
  const bytes = await bytesOfResponse(splitEveryBytes);
  const ends: (string | undefined)[] = [];
  let cutAfterBytes: number | undefined;
  const script: ResponseScript = {
    name: 'cut once',
    *steps() {
      if (cutAfterBytes !== undefined) yield { cutAfterBytes };
      cutAfterBytes = undefined;
      yield* SHORT;
    },
    fragmentation,
  };
  // A cut within a response makes its account serve none for a while.
  await addAccounts(bytes);
  for (const account of accounts) account.responses.always(script);
  for (let place = 0; place < bytes; place += 1) {
    cutAfterBytes = place;
    const socket = await openStrictSocket(gateway.url + PATH, { headers: authorization() });
    const { terminal } = await socket.create(validRequest);
    expect([place, socket.problems]).toEqual([place, []]);
    expect(cutAfterBytes).toBeUndefined();
    ends.push(terminal?.type);
    await socket.leave();
  }
  await expectSettled((requests) => requests === bytes + 1);
  // Before the first event another account responds; afterwards the client gets an error.
  expect(ends.filter((type, place) => type !== ends[place - 1])).toEqual(['response.completed', 'error']);
});

test('ends each request once wherever the connection of a client breaks while it reads', async () => {
  const bytes = await bytesOfResponse();
  await atEveryByte(bytes, readOnly);
  // That of a client which leaves at once may not have arrived.
  await expectSettled((requests) => requests === bytes || requests === bytes + 1);
});

test('begins no request for an upgrade or a message that breaks off', async () => {
  const upgrade = Buffer.from(upgradeOf());
  await atEveryByte(upgrade.length, (place) => send(upgrade.subarray(0, place)));
  const whole = frameOf(CREATE);
  await atEveryByte(whole.length, (place) => sendOnly(whole.subarray(0, place)));
  const inPieces = framesOf(CREATE, 5);
  await atEveryByte(inPieces.length, (place) => sendOnly(inPieces.subarray(0, place)));
  await expectSettled((requests) => requests === 0);
  expect(gateway.events('RequestRefused')).toEqual([]);
});

const CREATE = JSON.stringify({ type: 'response.create', ...validRequest });
const [TEXT, CONTINUATION, FIN] = [1, 0, 0x80];

/** A text frame as a client sends it, with a mask of zeros. */
function frameOf(text: string, first = TEXT | FIN): Buffer {
  const payload = Buffer.from(text);
  const isShort = payload.length < 126;
  const head = isShort ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from([first, ...head, 0, 0, 0, 0]), payload]);
}

/** The same in frames of so many bytes. */
function framesOf(text: string, size: number): Buffer {
  const frames: Buffer[] = [];
  for (let at = 0; at < text.length; at += size) {
    const fin = at + size >= text.length ? FIN : 0;
    frames.push(frameOf(text.slice(at, at + size), (at === 0 ? TEXT : CONTINUATION) | fin));
  }
  return Buffer.concat(frames);
}

const upgradeOf = (): string =>
  `GET ${PATH} HTTP/1.1\r\nhost: svc\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n` +
  `sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nauthorization: Bearer ${key.key}\r\n\r\n`;

function connect() {
  const socket = connectTcp({ port: Number(new URL(gateway.url).port), host: '127.0.0.1' });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, closed };
}

/** Upgrades a bare connection. */
async function upgraded() {
  const { socket, closed } = connect();
  socket.write(upgradeOf());
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

/** Sends a part of a request and breaks off. */
async function sendOnly(bytes: Buffer): Promise<void> {
  const { socket, closed } = await upgraded();
  if (bytes.length > 0) await new Promise((handedOver) => socket.write(bytes, handedOver));
  socket.destroy();
  await closed;
}

/** Sends a part of an upgrade and breaks off. */
async function send(bytes: Buffer): Promise<void> {
  const { socket, closed } = connect();
  if (bytes.length > 0) await new Promise((handedOver) => socket.write(bytes, handedOver));
  socket.destroy();
  await closed;
}
