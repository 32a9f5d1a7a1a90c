import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { stepsOf } from '../support/provider/responseScript.ts';
import {
  completedWithoutOutput,
  errorJson,
  errorOnSocket,
  textResponse,
  usageLimitReached,
} from '../support/provider/scripts.ts';
import { openStrictSocket, type StrictSocket, UpgradeRefused } from '../support/strictSocket.ts';
import { waitOptions } from '../support/waitOptions.ts';

let gateway: Gateway;
const open: StrictSocket[] = [];
beforeAll(async () => {
  gateway = await startGateway({ accounts: 0 });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.reset(2));
afterEach(async () => {
  for (const socket of open.splice(0)) await socket.leave();
});

async function connect({
  path = '/backend-api/svc/responses',
  headers = { 'thread-id': `thread-${Math.random()}` },
}: {
  path?: string;
  headers?: Record<string, string>;
} = {}): Promise<StrictSocket> {
  const socket = await openStrictSocket(gateway.url + path, { headers });
  open.push(socket);
  return socket;
}

const idOf = ({ terminal }: Awaited<ReturnType<StrictSocket['create']>>): string => terminal?.response.id;

test('a conversation keeps its socket, its account and the order of its requests', async () => {
  const [first] = gateway.pool;
  const socket = await connect();
  expect(socket.headers).toMatchObject({
    'x-request-id': expect.stringMatching(/^req_/),
    'x-reasoning-included': 'true',
  });

  const prewarm = await socket.create({ ...validRequest, input: [], generate: false });
  const one = await socket.create({ ...validRequest, previous_response_id: idOf(prewarm) });
  const two = await socket.create({ ...validRequest, previous_response_id: idOf(one) });

  expect([prewarm, one, two].map(({ terminal }) => terminal?.type)).toEqual(Array(3).fill('response.completed'));
  expect(socket.problems).toEqual([]);
  expect(first?.at.received.filter(({ path }) => path.endsWith('/codex/responses'))).toMatchObject([
    { method: 'GET', status: 101, socket: 1 },
    { method: 'WEBSOCKET', socket: 1, json: { generate: false } },
    { method: 'WEBSOCKET', socket: 1, json: { previous_response_id: idOf(prewarm) } },
    { method: 'WEBSOCKET', socket: 1, json: { previous_response_id: idOf(one) } },
  ]);
  const completed = gateway.events('RequestCompleted').map(({ data }) => data);
  expect(completed).toMatchObject([
    { status: '200', transport: 'websocket', socket: { number: 1, kind: 'prewarm', isContinued: false } },
    { status: '200', transport: 'websocket', socket: { number: 2, kind: 'turn', isContinued: true } },
    { status: '200', transport: 'websocket', socket: { number: 3, kind: 'turn', isContinued: true } },
  ]);
  expect(new Set(completed.map(({ socket }) => socket?.id)).size).toBe(1);
  expect(completed.every(({ usage }) => usage?.isEstimated === false)).toBe(true);
});

test('serves the OpenAI SDK below /v1, without the messages that it does not know', async () => {
  const socket = await connect({ path: '/v1/responses', headers: {} });
  const { frames, terminal } = await socket.create({ model: 'gpt-5.1', input: 'Say hi' });
  expect(terminal?.type).toBe('response.completed');
  expect(frames.filter(({ type }) => type.startsWith('codex.'))).toEqual([]);
  expect(socket.problems).toEqual([]);

  gateway.pool[0]?.at.next(completedWithoutOutput({ text: 'filled' }));
  const filled = await socket.create({ model: 'gpt-5.1', input: 'Say hi' });
  expect(filled.terminal?.response.output).toMatchObject([{ type: 'message', content: [{ text: 'filled' }] }]);
});

test('tries the next account while the client has seen nothing and the request is complete', async () => {
  const [first, second] = gateway.pool;
  const socket = await connect();
  first?.at.next(usageLimitReached({ resetsInSeconds: 3_600 }));
  second?.at.next(textResponse({ text: 'from the second' }));
  const { terminal } = await socket.create(validRequest);
  expect(terminal).toMatchObject({ type: 'response.completed' });
  expect(socket.problems).toEqual([]);
  const [completed] = gateway.events('RequestCompleted');
  expect(completed?.data.attempts).toMatchObject([
    { accountId: first?.id, outcome: 'usage_limit' },
    { accountId: second?.id, outcome: 'ok' },
  ]);
});

test('tells a client once that the context of its request is lost', async () => {
  const [first] = gateway.pool;
  const socket = await connect();
  const one = await socket.create(validRequest);
  first?.at.next(usageLimitReached({ resetsInSeconds: 3_600 }));
  const two = await socket.create({ ...validRequest, previous_response_id: idOf(one) });
  expect(two.terminal).toMatchObject({
    type: 'error',
    status: 400,
    error: { code: 'previous_response_not_found', param: 'previous_response_id' },
  });
  const again = await socket.create(validRequest);
  expect(again.terminal?.type).toBe('response.completed');
  expect(gateway.events('RequestCompleted').at(1)?.data.attempts).toMatchObject([
    { outcome: 'usage_limit' },
    { outcome: 'context_lost' },
  ]);
});

test("passes the provider's refusal of a request on with its status", async () => {
  const [first] = gateway.pool;
  const socket = await connect();
  first?.at.next(errorOnSocket(400, { message: 'Too long', code: 'context_length_exceeded' }));
  const { terminal } = await socket.create(validRequest);
  expect(terminal).toMatchObject({ type: 'error', status: 400, error: { code: 'context_length_exceeded' } });
  expect(gateway.events('RequestCompleted')).toMatchObject([{ data: { status: '400' } }]);
});

test('refuses an upgrade with 426 when the provider serves no websockets', async () => {
  for (const { at } of gateway.pool) at.upgrades.always(errorJson(404, { message: 'no' }));
  // The first upgrades of this process have worked lately.
  const refused = await connect().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UpgradeRefused);
  expect([426, 503]).toContain((refused as UpgradeRefused).status);
  expect(await (await gateway.ask()).text()).toContain('response.completed');
});

test('identifies and admits every request on its own', async () => {
  await gateway.api('PUT', '/api/settings', {
    ...(await gateway.api('GET', '/api/settings')).body,
    api_key_auth_enabled: true,
  });
  const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'k', allowed_models: ['gpt-5.1'] });
  const headers = { authorization: `Bearer ${key.key}` };
  await expect(connect()).rejects.toMatchObject({ status: 401 });
  const socket = await connect({ headers });
  const refused = await socket.create({ ...validRequest, model: 'gpt-5.5' });
  expect(refused.terminal).toMatchObject({ type: 'error', status: 403, error: { code: 'model_not_allowed' } });
  expect((await socket.create(validRequest)).terminal?.type).toBe('response.completed');
  expect(gateway.events('RequestRefused')).toMatchObject([
    { data: { transport: 'websocket', socket: { number: 1 }, keyId: key.id, errorCode: 'model_not_allowed' } },
  ]);
  await gateway.api('DELETE', `/api/api-keys/${key.id}`);
  expect(await socket.untilClosed()).toBe(1008);
});

test('closes the idle pair when its account is paused', async () => {
  const [first] = gateway.pool;
  const socket = await connect();
  await socket.create(validRequest);
  await gateway.api('POST', `/api/accounts/${first?.id}/pause`);
  expect(await socket.untilClosed()).toBe(1001);
  await vi.waitUntil(() => first?.at.sockets.length === 0, waitOptions);
});

test('refuses a second request while a response is in progress, which goes on', async () => {
  const [first] = gateway.pool;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  first?.at.next({
    name: 'held',
    *steps(context) {
      const [head, ...rest] = stepsOf(textResponse(), context);
      if (head) yield head;
      yield { until: released };
      yield* rest;
    },
  });
  const socket = await connect();
  const frames: { type: string; status?: number }[] = [];
  socket.socket.on('message', (data) => frames.push(JSON.parse(String(data))));
  socket.socket.send(JSON.stringify({ type: 'response.create', ...validRequest }));
  await vi.waitUntil(() => gateway.asked().length > 1, waitOptions);
  socket.socket.send(JSON.stringify({ type: 'response.create', ...validRequest }));
  await vi.waitUntil(() => frames.some(({ type, status }) => type === 'error' && status === 400), waitOptions);
  release();
  await vi.waitUntil(() => frames.some(({ type }) => type === 'response.completed'), waitOptions);
  expect(gateway.events('RequestCompleted')).toMatchObject([{ data: { status: '200' } }]);
});

test('refuses messages that are no request', async () => {
  const socket = await connect();
  const frames: unknown[] = [];
  socket.socket.on('message', (data) => frames.push(JSON.parse(String(data))));
  socket.socket.send('{"type":"response.cancel"}');
  await vi.waitUntil(() => frames.length === 1, waitOptions);
  expect(frames).toMatchObject([{ type: 'error', status: 400, error: { param: 'type' } }]);
  expect(gateway.events('RequestRefused')).toMatchObject([{ data: { errorCode: 'invalid_request_error' } }]);
  socket.socket.send(Buffer.from([1, 2]));
  expect(await socket.untilClosed()).toBe(1003);
});

test('leaves an empty prewarm out when the first turn needs another account', async () => {
  const [first, second] = gateway.pool;
  const socket = await connect();
  const prewarm = await socket.create({ ...validRequest, input: [], generate: false });
  first?.at.next(usageLimitReached({ resetsInSeconds: 3_600 }));
  const metadata = { turn_id: 'turn-1', 'x-codex-turn-state': 'of-the-first-account' };
  const turn = await socket.create({
    ...validRequest,
    previous_response_id: idOf(prewarm),
    client_metadata: metadata,
  });
  expect(turn.terminal?.type).toBe('response.completed');
  expect(socket.problems).toEqual([]);
  const sent = second?.at.received.findLast(({ method }) => method === 'WEBSOCKET')?.json;
  expect(sent).not.toHaveProperty('previous_response_id');
  expect(sent).toMatchObject({ client_metadata: { turn_id: 'turn-1' } });
  expect(sent).not.toHaveProperty(['client_metadata', 'x-codex-turn-state']);
});

test('counts the size of the context for a request that continues a response', async () => {
  await gateway.set({ api_key_auth_enabled: true });
  const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000_000 }];
  const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'k', limits });
  const socket = await connect({ headers: { authorization: `Bearer ${key.key}` } });
  const usage = { inputTokens: 50_000, cachedTokens: 0, outputTokens: 1_000, reasoningTokens: 0 };
  gateway.pool[0]?.at.next(textResponse({ usage }));
  const one = await socket.create(validRequest);
  await socket.create({ ...validRequest, previous_response_id: idOf(one) });
  const estimates = gateway.events('RequestCompleted').map(({ data }) => data.admission?.estimate.inputTokens ?? 0);
  expect(estimates[0]).toBeLessThan(1_000);
  expect(estimates[1]).toBeGreaterThanOrEqual(51_000);
});

test('stops a response at a limit that stops streams, between two messages', async () => {
  await gateway.set({ api_key_auth_enabled: true });
  const limits = [{ limit_type: 'output_tokens', limit_window: 'daily', max_value: 300, on_exceeded: 'stop' }];
  const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'k', limits });
  const socket = await connect({ headers: { authorization: `Bearer ${key.key}` } });
  const text = 'some words of a long response '.repeat(400);
  gateway.pool[0]?.at.next(textResponse({ text, deltas: 100 }));
  const { terminal, frames } = await socket.create(validRequest);
  expect(terminal).toMatchObject({
    type: 'error',
    status: 429,
    error: { message: expect.stringContaining('stopped') },
  });
  expect(frames.length).toBeGreaterThan(5);
  expect(frames.length).toBeLessThan(90);
  expect(socket.problems).toEqual([]);
});

test('accepts no compression unless it is set', async () => {
  const socket = await openStrictSocket(`${gateway.url}/backend-api/svc/responses`, { deflate: true });
  open.push(socket);
  expect(socket.headers).not.toHaveProperty('sec-websocket-extensions');
  expect((await socket.create(validRequest)).terminal?.type).toBe('response.completed');
});
