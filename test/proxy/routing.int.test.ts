import { describe, expect, test, vi } from 'vitest';
import { errorOf, type Gateway, validRequest } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';
import { usageLimitReached, usageWindow } from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';

const start = gateways();
let gateway: Gateway;

describe('account selection', () => {
  const ask = async (fields: object = {}, headers = {}) => {
    await (await gateway.ask({ ...validRequest, ...fields }, { headers })).text();
    return gateway.asked().at(-1)?.account;
  };

  test('usage_weighted picks the account with the most remaining usage', async () => {
    gateway = await start({ accounts: 3 });
    for (let index = 0; index < 5; index++) expect(await ask({ input: `${index}` })).toBe(gateway.pool[0]?.at.id);
  });

  test('round_robin takes turns regardless of usage', async () => {
    gateway = await start({ accounts: 3 });
    await gateway.set({ routing_strategy: 'round_robin', sticky_threads_enabled: false });
    const accounts = [];
    for (let index = 0; index < 9; index++) accounts.push(await ask());
    for (const { at } of gateway.pool) expect(accounts.filter((id) => id === at.id)).toHaveLength(3);
  });

  test.each([
    ['prompt_cache_key', { prompt_cache_key: 'by key' }, {}],
    ['session-id', {}, { 'session-id': 'by header' }],
    ['conversation', { conversation: 'by field' }, {}],
    ['first_message', { input: 'by its beginning' }, {}],
  ])('keeps a conversation identified by %s on its account, and records both', async (source, fields, headers) => {
    gateway = await start({ accounts: 3 });
    await gateway.set({ routing_strategy: 'round_robin' });
    const first = await ask(fields, headers);
    for (let index = 0; index < 4; index++) {
      await ask({ input: `another ${index}`, prompt_cache_key: `other ${index}` });
      expect(await ask(fields, headers)).toBe(first);
    }
    const pins = gateway.events('RequestCompleted').map(({ data }) => data.pin);
    const { digest } = pins[0] ?? {};
    const ofThread = pins.filter((pin) => pin?.digest === digest);
    expect(ofThread.map((pin) => pin?.source)).toEqual(Array(5).fill(source));
    const home = gateway.pool.find(({ at }) => at.id === first)?.id;
    expect(ofThread.map((pin) => pin?.resolvedTo)).toEqual([null, ...Array(4).fill(home)]);
  });

  test('returns a conversation to its account after a temporary fallback', async () => {
    gateway = await start({ accounts: 2 });
    const [home, other] = gateway.pool;
    expect(await ask({ prompt_cache_key: 't' })).toBe(home?.at.id);
    home?.at.next({ name: 'busy', steps: [{ head: 429 }, { bytes: '{}' }] });
    expect(await ask({ prompt_cache_key: 't' })).toBe(other?.at.id);
    await vi.waitUntil(async () => (await gateway.availability(home?.id ?? '')).state === 'available', {
      timeout: 3_000,
    });
    expect(await ask({ prompt_cache_key: 't' })).toBe(home?.at.id);
  });

  test('skips a paused account at once and moves its conversations', async () => {
    gateway = await start({ accounts: 2 });
    const [home, other] = gateway.pool;
    expect(await ask({ prompt_cache_key: 't' })).toBe(home?.at.id);
    await gateway.api('POST', `/api/accounts/${home?.id}/pause`);
    expect(await ask({ prompt_cache_key: 't' })).toBe(other?.at.id);
    await gateway.api('POST', `/api/accounts/${home?.id}/reactivate`);
    expect(await ask({ prompt_cache_key: 't' })).toBe(other?.at.id);
  });

  test('responds with 503 no_accounts without accounts, and logs it', async () => {
    gateway = await start({ accounts: 0 });
    const response = await gateway.ask();
    expect(response.status).toBe(503);
    expect(await errorOf(response)).toMatchObject({ code: 'no_accounts', type: 'server_error' });
    expect(await gateway.logs()).toMatchObject([{ status: '503', error_code: 'no_accounts', account_id: null }]);
  });
});

describe('usage in the headers of a response', () => {
  const usageOf = async (id: string) => {
    const { body } = await gateway.api('GET', '/api/accounts');
    return body.accounts.find(({ account_id }: { account_id: string }) => account_id === id)?.usage;
  };
  const twoAccounts = async () => {
    gateway = await start({ accounts: 2 });
    return gateway.pool[0] as Gateway['pool'][number];
  };

  test('updates the account without a poll', async () => {
    const first = await twoAccounts();
    first.at.usage.primary = usageWindow({ usedPercent: 64 });
    await (await gateway.ask()).text();
    await vi.waitUntil(async () => (await usageOf(first.id)).primary_remaining_percent === 36, waitOptions);
    expect(first.at.received.filter(({ path }) => path === '/backend-api/wham/usage')).toHaveLength(1);
  });

  test('is also read from refusals', async () => {
    const first = await twoAccounts();
    first.at.usage.primary = usageWindow({ usedPercent: 100 });
    first.at.next(usageLimitReached());
    expect((await gateway.ask()).status).toBe(200);
    await vi.waitUntil(async () => (await usageOf(first.id)).primary_remaining_percent === 0, waitOptions);
  });
});
