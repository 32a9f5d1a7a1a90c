import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type Gateway, type GatewayOptions, startGateway, validRequest } from '../support/gateway.ts';
import { stepsOf } from '../support/provider/responseScript.ts';
import {
  acceptUpgrade,
  closeOnSocket,
  connectionReset,
  errorJson,
  heldResponse,
  textResponse,
} from '../support/provider/scripts.ts';
import { openStrictSocket, type StrictSocket, UpgradeRefused } from '../support/strictSocket.ts';
import { waitOptions } from '../support/waitOptions.ts';

// Sockets end by age, after long silence and without pongs, and always between two responses, where it costs a client nothing.

vi.setConfig({ testTimeout: 40_000 });
const LONG_MS = 600_000;
let gateway: Gateway;
const open: StrictSocket[] = [];
beforeEach(() => {
  open.length = 0;
});
afterEach(async () => {
  await Promise.all(open.map((socket) => socket.leave()));
});

/** The service with these times and otherwise long ones. */
async function start(times: GatewayOptions['socketTimes']): Promise<void> {
  const socketTimes = { idleMs: LONG_MS, maxAgeMs: LONG_MS, pingMs: LONG_MS, workedLatelyMs: LONG_MS, ...times };
  gateway = await startGateway({ socketTimes });
  onTestFinished(() => gateway.stop());
}

async function connect(thread = 'thread-1'): Promise<StrictSocket> {
  const headers = { 'thread-id': thread };
  const socket = await openStrictSocket(`${gateway.url}/backend-api/svc/responses`, { headers });
  open.push(socket);
  return socket;
}

const closesFor = async (wanted: string): Promise<number> => {
  const { closes } = (await gateway.api('GET', '/api/status')).body.websockets;
  return closes.find(({ reason }: { reason: string }) => reason === wanted)?.count ?? 0;
};
const creates = () => gateway.asked().filter(({ method }) => method === 'WEBSOCKET');

test('closes an old pair while it is idle, and asks nothing twice on the next one', async () => {
  await start({ maxAgeMs: 2_000 });
  const old = await connect();
  const first = await old.create(validRequest);
  expect(first.terminal?.type).toBe('response.completed');
  expect(await old.untilClosed()).toBe(1001);
  expect(await closesFor('age')).toBe(1);
  const [account] = gateway.pool;
  await vi.waitUntil(() => account?.at.sockets.length === 0, waitOptions);

  const next = await connect();
  expect((await next.create(validRequest)).terminal?.type).toBe('response.completed');
  expect([old.problems, next.problems]).toEqual([[], []]);
  expect(creates()).toHaveLength(2);
  expect(gateway.events('RequestCompleted')).toMatchObject([
    { data: { status: '200', socket: { number: 1 } } },
    { data: { status: '200', socket: { number: 1 } } },
  ]);
});

test('lets a response on an old pair end, then closes it', async () => {
  await start({ maxAgeMs: 2_000 });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  gateway.pool[0]?.at.next(heldResponse(released));
  const socket = await connect();
  const ended = socket.create(validRequest);
  // Another old pair is closed meanwhile, so both have been looked at.
  expect(await (await connect('thread-2')).untilClosed()).toBe(1001);
  expect(socket.closeCode).toBeUndefined();
  release();
  expect((await ended).terminal?.type).toBe('response.completed');
  expect(await socket.untilClosed()).toBe(1001);
  expect(socket.problems).toEqual([]);
});

test('closes a pair on which no request comes for long, also when none ever came', async () => {
  await start({ idleMs: 2_000 });
  const [used, unused] = [await connect(), await connect('thread-2')];
  await used.create(validRequest);
  expect(await Promise.all([used.untilClosed(), unused.untilClosed()])).toEqual([1001, 1001]);
  expect(await closesFor('idle')).toBe(2);
  expect(used.problems).toEqual([]);
});

test('disconnects an idle client that answers no pings, and keeps one that does', async () => {
  await start({ pingMs: 3_000 });
  const [silent, alive] = [await connect(), await connect('thread-2')];
  silent.socket.pause();
  await vi.waitUntil(async () => (await closesFor('unreachable')) === 1, { timeout: 20_000, interval: 100 });
  expect(alive.closeCode).toBeUndefined();
  expect((await alive.create(validRequest)).terminal?.type).toBe('response.completed');
  expect(alive.problems).toEqual([]);
});

test('closes the pair when the provider has closed its socket right behind a response', async () => {
  await start({});
  const [account] = gateway.pool;
  account?.at.next({
    name: 'closes behind its response',
    *steps(context) {
      yield* stepsOf(textResponse(), context);
      yield { close: 1000 };
    },
  });
  const socket = await connect();
  expect((await socket.create(validRequest)).terminal?.type).toBe('response.completed');
  expect(await socket.untilClosed()).toBe(1001);
  expect(socket.problems).toEqual([]);
});

test('sends a conversation to POST whose request is too large for the socket of the provider', async () => {
  await start({});
  const [account] = gateway.pool;
  const socket = await connect();
  account?.at.next(closeOnSocket(1009));
  const { terminal, frames } = await socket.create(validRequest);
  expect([terminal, frames, await socket.untilClosed()]).toEqual([undefined, [], 1009]);
  await expect(connect()).rejects.toMatchObject({ status: 426 });
  // Only this conversation, and only until it has had its answer.
  for (const thread of ['thread-2', 'thread-1']) await connect(thread);
  expect(creates()).toHaveLength(1);
  expect(gateway.events('RequestCompleted')).toMatchObject([{ data: { status: '413', transport: 'websocket' } }]);
});

test('sends a conversation to POST whose message is too large for a socket', async () => {
  await start({});
  const socket = await connect();
  const { terminal } = await socket.create({ ...validRequest, instructions: 'x'.repeat(15.6 * 1_048_576) });
  expect([terminal, await socket.untilClosed()]).toEqual([undefined, 1009]);
  await expect(connect()).rejects.toMatchObject({ status: 426 });
  await connect();
  expect(creates()).toEqual([]);
});

test('tells an SDK the status of a request that is too large for the socket of the provider', async () => {
  await start({});
  gateway.pool[0]?.at.next(closeOnSocket(1009));
  const socket = await openStrictSocket(`${gateway.url}/v1/responses`);
  open.push(socket);
  const { terminal } = await socket.create({ model: 'gpt-5.1', input: 'Say hi' });
  expect(terminal).toMatchObject({ type: 'error', status: 413 });
  expect(socket.problems).toEqual([]);
});

/** The refusal of an upgrade. */
const refusal = async (thread: string): Promise<UpgradeRefused> => {
  const refused = await connect(thread).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UpgradeRefused);
  return refused as UpgradeRefused;
};

test('refuses upgrades for a moment while sockets that worked fail, and others by POST until they work', async () => {
  await start({ workedLatelyMs: 4_000 });
  const upgrades = gateway.pool[0]?.at.upgrades;
  // None has worked yet, so the provider may serve none at all.
  upgrades?.always(errorJson(503, { message: 'no' }));
  expect(await refusal('thread-1')).toMatchObject({ status: 426 });

  upgrades?.always(acceptUpgrade());
  const workedAt = performance.now();
  const socket = await connect('thread-2');
  for (const script of [errorJson(503, { message: 'no' }), errorJson(403, { message: 'no' }), connectionReset()]) {
    upgrades?.always(script);
    const { status, headers } = await refusal('thread-3');
    // A slow machine may take longer for all of this.
    if (performance.now() - workedAt < 4_000) expect([status, headers['retry-after']]).toEqual([503, '5']);
  }
  expect((await socket.create(validRequest)).terminal?.type).toBe('response.completed');
  expect(await (await gateway.ask()).text()).toContain('response.completed');

  await vi.waitUntil(async () => (await refusal('thread-4')).status === 426, { timeout: 20_000, interval: 250 });
  expect(performance.now() - workedAt).toBeGreaterThan(4_000);
  upgrades?.always(acceptUpgrade());
  const again = await connect('thread-4');
  expect((await again.create(validRequest)).terminal?.type).toBe('response.completed');
  expect([socket.problems, again.problems]).toEqual([[], []]);
  const { upgrades: counted } = (await gateway.api('GET', '/api/status')).body.websockets;
  expect(counted.map(({ result }: { result: string }) => result)).toEqual(
    expect.arrayContaining(['accepted', 'upgrade_required', 'upstream_error']),
  );
});
