import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStrictSocket, type StrictSocket, type UpgradeRefused } from '../../strictSocket.ts';
import type { SimulatedAccount } from '../account.ts';
import { acceptableBody, credentials, sendRequest } from '../client.ts';
import { type Provider, startProvider } from '../provider.ts';
import {
  acceptUpgrade,
  closeOnSocket,
  connectionReset,
  cutAtByte,
  errorJson,
  errorOnSocket,
  failureAsFirstEvent,
  fragmented,
  noResponse,
  streamSilent,
  textResponse,
  throttled,
  turnStateOf,
  usageLimitReached,
  withMessage,
} from '../scripts.ts';

let provider: Provider;
let account: SimulatedAccount;
let now = Date.now();
const open: StrictSocket[] = [];

beforeEach(async () => {
  now = Date.now();
  provider = await startProvider({ now: () => now });
  account = provider.addAccount();
});
afterEach(async () => {
  for (const socket of open.splice(0)) await socket.leave();
  await provider.close();
});

async function connect(headers: Record<string, string> = {}, to = account): Promise<StrictSocket> {
  const url = `${provider.baseUrl}/codex/responses`;
  const socket = await openStrictSocket(url, { headers: { ...credentials(to), ...headers } });
  open.push(socket);
  return socket;
}
const refusal = (headers: Record<string, string> = {}): Promise<UpgradeRefused> =>
  connect(headers).then(
    () => Promise.reject(new Error('the upgrade was accepted')),
    (error) => error,
  );
const idOf = ({ terminal }: Awaited<ReturnType<StrictSocket['create']>>): string => terminal?.response.id;

test('answers many creates on one socket with the scripts of its account, and records them', async () => {
  const socket = await connect({ originator: 'codex_exec' });
  expect(socket.headers).toMatchObject({ 'x-models-etag': 'W/"models-1"', 'x-reasoning-included': 'true' });
  account.next(textResponse({ text: 'one' }), textResponse({ text: 'two' }));
  const one = await socket.create(acceptableBody);
  const two = await socket.create({ ...acceptableBody, previous_response_id: idOf(one) });
  expect([one, two].map(({ terminal }) => terminal?.response.output[0].content[0].text)).toEqual(['one', 'two']);
  expect(two.terminal?.response).toMatchObject({
    previous_response_id: idOf(one),
    usage: { input_tokens_details: { cached_tokens: one.terminal?.response.usage.total_tokens } },
  });
  expect(socket.problems).toEqual([]);
  await provider.until(() => account.inFlight === 0);
  expect(account.received).toMatchObject([
    { method: 'GET', status: 101, socket: 1, ended: false },
    { method: 'WEBSOCKET', headers: { originator: 'codex_exec' }, socket: 1, finished: true, aborted: false },
    { method: 'WEBSOCKET', json: { previous_response_id: idOf(one) }, socket: 1, finished: true },
  ]);
  await socket.leave();
  await provider.until(() => account.received[0]?.ended === true);
  expect(account.received[0]).toMatchObject({ closeCode: 1006 });
  expect(account.sockets).toEqual([]);
});

test('takes token and account from the upgrade only', async () => {
  expect((await refusal({ authorization: 'Bearer wrong' })).status).toBe(401);
  expect((await refusal({ 'chatgpt-account-id': '' })).status).toBe(401);
  const socket = await connect();
  account.expireAccessToken();
  expect((await socket.create(acceptableBody)).terminal?.type).toBe('response.completed');
  expect((await sendRequest(provider, account)).status).toBe(401);
});

test('refuses the upgrade of a region-bound workspace without its region', async () => {
  account.residency = 'eu';
  expect((await refusal()).status).toBe(401);
  await connect({ 'x-openai-internal-codex-residency': 'eu' });
});

test('refuses upgrades as the account scripts them, or never answers', async () => {
  const other = provider.addAccount();
  account.upgrades.next(...[401, 403, 426, 503].map((status) => errorJson(status, { message: `no ${status}` })));
  account.upgrades.next(throttled({ retryAfter: 2 }), connectionReset(), noResponse());
  for (const status of [401, 403, 426, 503])
    expect(await refusal()).toMatchObject({ status, body: expect.stringContaining(`no ${status}`) });
  expect(await refusal()).toMatchObject({ status: 429, headers: { 'retry-after': '2' } });
  expect(await refusal()).toMatchObject({ code: 'ECONNRESET' });
  const unanswered = refusal();
  await provider.until(() => account.received.length === 7);
  await connect({}, other);
  await provider.close();
  expect(await unanswered).toMatchObject({ message: 'socket hang up' });
  provider = await startProvider();
});

test('knows the latest id of a socket only', async () => {
  const [first, second] = [await connect(), await connect()];
  const one = await first.create(acceptableBody);
  const two = await first.create(acceptableBody);
  first.socket.send(JSON.stringify({ type: 'response.create', ...acceptableBody, previous_response_id: idOf(one) }));
  await provider.until(() => account.received.length === 5);
  expect(account.received[4]).toMatchObject({ status: 400, json: { previous_response_id: idOf(one) } });
  expect(account.sockets.map(({ latestId }) => latestId)).toEqual([idOf(two), undefined]);
  const foreign = second.create(acceptableBody);
  expect((await foreign).terminal?.type).toBe('response.completed');
  await first.leave();
  await provider.until(() => account.sockets.length === 1);
});

test('answers an unknown id with previous_response_not_found', async () => {
  const socket = await connect();
  const one = await socket.create(acceptableBody);
  await socket.create(acceptableBody);
  expect((await socket.create({ ...acceptableBody, previous_response_id: idOf(one) })).terminal).toEqual({
    type: 'error',
    status: 400,
    error: {
      type: 'invalid_request_error',
      code: 'previous_response_not_found',
      message: `Previous response with id '${idOf(one)}' not found.`,
      param: 'previous_response_id',
    },
  });
});

test('forgets the id that a failed continuation named', async () => {
  for (const failure of [errorOnSocket(500, { message: 'no' }), throttled(), failureAsFirstEvent()]) {
    const socket = await connect();
    const one = await socket.create(acceptableBody);
    account.next(failure);
    await socket.create({ ...acceptableBody, previous_response_id: idOf(one) });
    const again = await socket.create({ ...acceptableBody, previous_response_id: idOf(one) });
    expect(again.terminal?.error.code, failure.name).toBe('previous_response_not_found');
  }
  const socket = await connect();
  const one = await socket.create(acceptableBody);
  await socket.create({ ...acceptableBody, store: true, previous_response_id: idOf(one) });
  const again = await socket.create({ ...acceptableBody, previous_response_id: idOf(one) });
  expect(again.terminal?.error.code).toBe('previous_response_not_found');
});

test('answers a prewarm with an id that can be continued, and no output', async () => {
  const socket = await connect();
  const prewarm = await socket.create({ ...acceptableBody, input: [], generate: false });
  expect(prewarm.terminal).toMatchObject({ type: 'response.completed', response: { output: [] } });
  const turn = await socket.create({ ...acceptableBody, previous_response_id: idOf(prewarm) });
  expect(turn.terminal?.response.output).toHaveLength(1);
  expect((await sendRequest(provider, account, { body: { ...acceptableBody, generate: false } })).status).toBe(400);
});

test('allows a socket 60 minutes, also an idle one', async () => {
  const [busy, idle] = [await connect(), await connect()];
  now += 59 * 60_000;
  provider.closeOldSockets();
  expect((await busy.create(acceptableBody)).terminal?.type).toBe('response.completed');
  now += 60_000;
  const late = await busy.create(acceptableBody);
  expect(late.terminal).toMatchObject({ status: 400, error: { code: 'websocket_connection_limit_reached' } });
  provider.closeOldSockets();
  expect([await busy.untilClosed(), await idle.untilClosed()]).toEqual([1000, 1000]);
  expect(idle.problems).toEqual(['error while no response is in progress']);
});

test('runs one response at a time', async () => {
  const socket = await connect();
  account.next(streamSilent());
  void socket.create(acceptableBody);
  await provider.until(() => account.inFlight === 1);
  socket.socket.send(JSON.stringify({ type: 'response.create', ...acceptableBody }));
  await provider.until(() => account.received.length === 3);
  expect(account.received[2]).toMatchObject({ status: 400, script: expect.stringContaining('in progress') });
});

test('closes with 1009 from 16 MiB, and reads one byte less', async () => {
  const MiB = 1024 * 1024;
  const create = (bytes: number): string => {
    const text = JSON.stringify({ type: 'response.create', ...acceptableBody, instructions: '' });
    return text.replace('"instructions":""', `"instructions":"${'x'.repeat(bytes - text.length)}"`);
  };
  const [fits, exceeds] = [await connect(), await connect()];
  fits.socket.send(create(16 * MiB - 1));
  await provider.until(() => account.received.some(({ method, finished }) => method === 'WEBSOCKET' && finished));
  exceeds.socket.send(create(16 * MiB));
  expect(await exceeds.untilClosed()).toBe(1009);
});

test('pings, and closes with 1011 without a pong', async () => {
  await provider.close();
  provider = await startProvider({ keepalive: { intervalMs: 10, timeoutMs: 50 } });
  account = provider.addAccount();
  const socket = await connect();
  await once(socket.socket, 'ping');
  socket.socket.pause();
  await provider.until(() => account.sockets.length === 0);
  socket.socket.resume();
  expect(await socket.untilClosed()).toBe(1011);
});

test('sends limits and the turn state of its account before a response', async () => {
  const socket = await connect();
  const { frames } = await socket.create({ ...acceptableBody, client_metadata: { turn_id: 't1' } });
  expect(frames.slice(0, 3)).toMatchObject([
    {
      type: 'codex.rate_limits',
      plan_type: 'plus',
      rate_limits: { primary: { used_percent: 0, window_minutes: 300 } },
    },
    { type: 'response.metadata', headers: { 'x-codex-turn-state': turnStateOf(account.id, 't1') } },
    { type: 'response.created', sequence_number: 0 },
  ]);
});

test('sends refusals of requests as error frames with headers', async () => {
  const socket = await connect();
  account.next(usageLimitReached({ resetsInSeconds: 90 }), throttled({ shape: 'detail', retryAfter: 2 }));
  const used = await socket.create(acceptableBody);
  expect(used.terminal).toMatchObject({
    type: 'error',
    status: 429,
    error: { type: 'usage_limit_reached', resets_in_seconds: 90 },
    headers: { 'x-codex-primary-used-percent': '0' },
  });
  const burst = await socket.create(acceptableBody);
  expect(burst.terminal).toMatchObject({ error: { message: 'Rate limit exceeded' }, headers: { 'retry-after': '2' } });
  expect(socket.problems).toEqual([]);
  account.next(errorOnSocket(undefined, { message: 'ignored by Codex' }));
  await socket.create(acceptableBody);
  expect(socket.problems).toEqual(['an error without a status']);
});

test('closes, resets or cuts a socket where a script says so', async () => {
  account.socketEvents = () => [];
  account.next(closeOnSocket(1012, { events: 2 }), connectionReset(), cutAtByte(0), cutAtByte(3), cutAtByte(1_000));
  const ends: unknown[] = [];
  for (let n = 0; n < 5; n++) {
    const { frames, terminal, closeCode } = await (await connect()).create(acceptableBody);
    ends.push([frames.length, terminal, closeCode]);
  }
  expect(ends).toEqual([
    [2, undefined, 1012],
    [0, undefined, 1006],
    [0, undefined, 1006],
    [0, undefined, 1006],
    [1, undefined, 1006],
  ]);
  await provider.until(() => account.inFlight === 0);
  const creates = account.received.filter(({ method }) => method === 'WEBSOCKET');
  expect(creates.map(({ wasReset, aborted }) => [wasReset, aborted])).toEqual(Array(5).fill([true, false]));
});

test('sends fragmented, binary and unreadable messages', async () => {
  const socket = await connect();
  account.next(fragmented(textResponse({ text: 'Grüße, 世界' }), { splitEveryBytes: 7 }));
  const { terminal } = await socket.create(acceptableBody);
  expect(terminal?.response.output[0].content[0].text).toBe('Grüße, 世界');
  expect(socket.problems).toEqual([]);
  account.next(withMessage(new Uint8Array([1])), withMessage('no JSON'));
  await socket.create(acceptableBody);
  await socket.create(acceptableBody);
  expect(socket.problems).toEqual(['a binary message', 'no JSON object with a type: no JSON']);
});

test('accepts headers for the 101, and sends messages that no create asked for', async () => {
  account.upgrades.next(acceptUpgrade({ 'openai-model': 'gpt-5.5' }));
  const socket = await connect();
  expect(socket.headers['openai-model']).toBe('gpt-5.5');
  account.sockets[0]?.send({ type: 'response.completed', response: { id: 'resp_stray' } });
  account.sockets[0]?.close(1001);
  expect(await socket.untilClosed()).toBe(1001);
  expect(socket.problems).toEqual(['response.completed while no response is in progress']);
});
