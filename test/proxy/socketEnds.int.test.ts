import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { heldResponse } from '../support/provider/scripts.ts';
import { openStrictSocket, type StrictSocket } from '../support/strictSocket.ts';
import { waitOptions } from '../support/waitOptions.ts';

// What happens to a socket when its account changes, and how its requests are found afterwards.

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

async function connect(path = '/backend-api/svc/responses'): Promise<StrictSocket> {
  const headers = { 'thread-id': crypto.randomUUID() };
  const socket = await openStrictSocket(gateway.url + path, { headers });
  open.push(socket);
  return socket;
}

/** The account whose socket serves the conversation. */
const serving = () => {
  const found = gateway.pool.find(({ at }) => at.sockets.length > 0);
  if (!found) throw new Error('no account has a socket');
  return found;
};

test('explains, proves and counts a response on a socket as any other', async () => {
  const socket = await connect('/backend-api/codex/responses');
  await socket.create(validRequest);
  const [completed] = gateway.events('RequestCompleted');
  const { requestId } = completed?.data ?? {};
  const { body: explained } = await gateway.api('GET', `/api/requests/${requestId}/explain`);
  expect(explained).toMatchObject({
    request_id: requestId,
    account_id: completed?.data.accountId,
    attempts: [{ account_id: completed?.data.accountId }],
  });
  expect(explained.candidates).toHaveLength(2);
  await vi.waitFor(async () => {
    expect(await gateway.api('GET', `/api/receipts/${requestId}`)).toMatchObject({ status: 200 });
  }, waitOptions);
  await vi.waitFor(async () => {
    const { body } = await gateway.api('GET', '/api/usage/breakdown?group_by=transport');
    const group = body.groups.find(({ id }: { id: string }) => id === 'websocket');
    expect(group).toMatchObject({ requests: 1, errors: 0 });
    expect(group.input_tokens).toBeGreaterThan(0);
  }, waitOptions);
});

test('closes the idle pair when its account has another token, and serves the conversation with that one', async () => {
  const socket = await connect();
  await socket.create(validRequest);
  const { at } = serving();
  at.signIn();
  const form = new FormData();
  form.set('auth_json', new Blob([JSON.stringify(at.authFile())]), 'auth.json');
  expect((await gateway.api('POST', '/api/accounts/import?on_duplicate=replace', form)).status).toBe(200);
  expect(await socket.untilClosed()).toBe(1001);
  await vi.waitUntil(() => at.sockets.length === 0, waitOptions);
  expect((await (await connect()).create(validRequest)).terminal?.type).toBe('response.completed');
});

test('ends a response whose account is deleted, and records it once', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  for (const { at } of gateway.pool) {
    at.next(heldResponse(released));
  }
  const socket = await connect();
  const types: string[] = [];
  socket.socket.on('message', (data) => types.push(JSON.parse(String(data)).type));
  const ended = socket.create(validRequest);
  await vi.waitUntil(() => types.includes('response.created'), waitOptions);
  const { id } = serving();
  await gateway.api('DELETE', `/api/accounts/${id}`);
  const { terminal } = await ended;
  release();
  expect(terminal).toMatchObject({ type: 'error', status: 502 });
  expect(socket.problems).toEqual([]);
  await vi.waitUntil(() => gateway.events('RequestCompleted').length === 1, waitOptions);
  expect(gateway.events('RequestCompleted')).toMatchObject([{ data: { transport: 'websocket', status: 'error' } }]);
});

test('the status of the node counts sockets by key and account, upgrades and closes', async () => {
  const socket = await connect('/v1/responses');
  await socket.create(validRequest);
  const { id } = serving();
  const numbers = async () => (await gateway.api('GET', '/api/status')).body.websockets;
  const { upgrades, closes } = await numbers();
  expect(await numbers()).toMatchObject({
    open: 1,
    busy: 0,
    by_key: [{ key_id: null, sockets: 1 }],
    by_account: [{ account_id: id, sockets: 1 }],
  });
  expect(upgrades).toContainEqual({ result: 'accepted', count: expect.any(Number) });
  const byClient = (all: typeof closes): number =>
    all.find(({ reason }: { reason: string }) => reason === 'client')?.count ?? 0;
  const before = byClient(closes);
  await socket.leave();
  await vi.waitFor(async () => {
    const now = await numbers();
    expect([now.open, byClient(now.closes)]).toEqual([0, before + 1]);
  }, waitOptions);
});
