import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { errorJson, textResponse } from '../support/provider/scripts.ts';
import { scrape } from '../support/scrape.ts';
import { openStrictSocket } from '../support/strictSocket.ts';
import { waitOptions } from '../support/waitOptions.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ accounts: 1 });
});
afterAll(() => gateway.stop());

const connect = () => openStrictSocket(`${gateway.url}/backend-api/svc/responses`);
const sum = async (name: string, labels: Record<string, string> = {}): Promise<number> =>
  (await scrape(gateway.url)).sum(name, labels);
const expectSum = (name: string, labels: Record<string, string>, expected: number) =>
  vi.waitFor(async () => expect(await sum(name, labels)).toBe(expected), waitOptions);

test('counts open sockets by state, account and key, and why they close', async () => {
  const [account] = gateway.pool;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  account?.at.next({ name: 'held', steps: [{ until: released }] }, textResponse());
  const [busy, idle] = [await connect(), await connect()];
  const response = busy.create(validRequest);
  await expectSum('svc_websockets', { state: 'busy' }, 1);
  expect(await sum('svc_websockets', { state: 'idle' })).toBe(1);
  expect(await sum('svc_account_websockets', { account: account?.id ?? '' })).toBe(2);
  expect(await sum('svc_key_websockets', { key: 'none' })).toBe(2);
  expect(await sum('svc_websocket_upgrades_total', { result: 'accepted' })).toBe(2);

  await idle.leave();
  await expectSum('svc_websocket_closes_total', { reason: 'client' }, 1);
  await busy.leave();
  release();
  await response;
  const third = await connect();
  third.socket.send(Buffer.from([1]));
  await third.untilClosed();
  const fourth = await connect();
  await gateway.api('POST', `/api/accounts/${account?.id}/pause`);
  expect(await fourth.untilClosed()).toBe(1001);
  await gateway.api('POST', `/api/accounts/${account?.id}/reactivate`);
  await expectSum('svc_websocket_closes_total', { reason: 'account' }, 1);
  expect(await sum('svc_websocket_closes_total', { reason: 'protocol' })).toBe(1);
  await expectSum('svc_websocket_closes_total', {}, 4);
  await expectSum('svc_websockets', {}, 0);
});

test('counts upgrades that are refused by the code of their error', async () => {
  const [account] = gateway.pool;
  account?.at.upgrades.next(errorJson(404, { message: 'none here' }));
  await expect(connect()).rejects.toThrow('refused with 503');
  expect(await sum('svc_websocket_upgrades_total', { result: 'upstream_error' })).toBe(1);
});

test('counts input tokens and the time to the first event by transport', async () => {
  const socket = await connect();
  const before = await scrape(gateway.url);
  const one = await socket.create(validRequest);
  const id = one.terminal?.response.id;
  const two = await socket.create({ ...validRequest, previous_response_id: id });
  await (await gateway.ask()).text();
  const usage = two.terminal?.response.usage;
  const cached = usage.input_tokens_details.cached_tokens;
  expect(cached).toBeGreaterThan(0);
  await vi.waitFor(async () => {
    const now = await scrape(gateway.url);
    const growth = (name: string, labels: Record<string, string>) => now.sum(name, labels) - before.sum(name, labels);
    const firstBytes = 'svc_transport_first_byte_seconds_count';
    expect(growth(firstBytes, { transport: 'websocket' })).toBe(2);
    expect(growth(firstBytes, { transport: 'http' })).toBe(1);
    expect(growth('svc_input_tokens_total', { transport: 'websocket', cached: 'yes' })).toBe(cached);
    expect(growth('svc_input_tokens_total', { transport: 'websocket', cached: 'no' })).toBe(
      one.terminal?.response.usage.input_tokens + usage.input_tokens - cached,
    );
    expect(growth('svc_input_tokens_total', { transport: 'http' })).toBeGreaterThan(0);
  }, waitOptions);
  await socket.leave();
});
