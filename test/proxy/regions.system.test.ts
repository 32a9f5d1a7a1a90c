import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Explanation } from '../../src/replay/explain/explanation.ts';
import { serve } from '../durability/support/serve.ts';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import type { SimulatedAccount } from '../support/provider/account.ts';
import { accessTokenRefused, serverError, throttled } from '../support/provider/scripts.ts';

// A key that may be served in some regions only: which account serves it, what it gets when there is none, and what the log says of it.

vi.setConfig({ testTimeout: 60_000 });

let gateway: Gateway;
const at: Record<string, SimulatedAccount> = {};
const ids: Record<string, string> = {};
const keys: Record<string, { id: string; key: string }> = {};

beforeAll(async () => {
  gateway = await startGateway({ accounts: 0 });
  for (const [name, region] of [['us', 'US'], ['eu', 'eu'], ['eu2', 'eu'], ['none']] as const)
    await addAccount(name, region);
  await gateway.set({ api_key_auth_enabled: true });
  await addKey('eu', ['EU ']);
  await addKey('ap', ['ap']);
  await addKey('moving', ['eu']);
});

async function addAccount(name: string, residency?: string): Promise<SimulatedAccount> {
  const account = gateway.provider.addAccount(residency === undefined ? {} : { residency });
  at[name] = account;
  ids[name] = await gateway.importAccount(account);
  return account;
}

async function addKey(name: string, regions: string[]): Promise<void> {
  keys[name] = (await gateway.api('POST', '/api/api-keys', { name, regions })).body;
}

afterAll(() => gateway.stop());

beforeEach(() => gateway.provider.clearReceived());

async function ask(key: string, fields: object = {}) {
  const headers = { authorization: `Bearer ${keys[key]?.key}` };
  const response = await gateway.ask({ ...validRequest, ...fields }, { headers });
  const text = await response.text();
  return { status: response.status, text, id: response.headers.get('x-request-id') ?? '' };
}

const accountsOfLast = () =>
  gateway
    .events('RequestCompleted')
    .at(-1)
    ?.data.attempts.map(({ accountId }) => Object.keys(ids).find((name) => ids[name] === accountId));

const explain = async (id: string): Promise<Explanation> =>
  (await gateway.api('GET', `/api/requests/${id}/explain`)).body;

test('is served by accounts of its regions alone, over a failover', async () => {
  for (let request = 0; request < 8; request++) {
    expect((await ask('eu', { prompt_cache_key: `conversation ${request}` })).status).toBe(200);
    expect(['eu', 'eu2']).toContain(accountsOfLast()?.[0]);
  }
  for (const name of ['eu', 'eu2']) at[name]?.next(serverError({ status: 500, body: 'json' }));
  const { status, id } = await ask('eu');
  expect([status, accountsOfLast()?.toSorted()]).toEqual([502, ['eu', 'eu2']]);
  const explained = await explain(id);
  expect(explained.caller.regions).toEqual(['eu']);
  expect(explained.attempts.map(({ region }) => region)).toEqual(['eu', 'eu']);
  const reasons = explained.candidates.map(({ account_id: account, reason }) => [account, reason]);
  expect(reasons).toContainEqual([ids.us, 'other_region']);
  expect(reasons).toContainEqual([ids.none, 'other_region']);
  expect(explained.candidates.find(({ account_id: account }) => account === ids.us)?.detail).toBe('region US');
  for (const { headers } of gateway.asked()) expect(headers['x-openai-internal-codex-residency']).toBe('eu');
});

test('is refused with a code of its own when no account is in its regions', async () => {
  const { status, text, id } = await ask('ap');
  expect(status).toBe(503);
  expect(JSON.parse(text).error).toMatchObject({
    code: 'no_account_in_region',
    type: 'server_error',
    message: expect.stringContaining('may only be served in ap'),
  });
  expect(gateway.asked()).toEqual([]);
  const { data } = gateway.events('RequestCompleted').at(-1) ?? {};
  expect(data).toMatchObject({ requestId: id, errorCode: 'no_account_in_region', refusal: { reason: 'no_region' } });
  expect((await explain(id)).no_account).toMatchObject({ by: 'none', reason: 'no_region' });
});

test('waits for its own accounts, although others could serve at once', async () => {
  for (const name of ['eu', 'eu2']) at[name]?.next(throttled({ retryAfter: 1 }));
  expect((await ask('eu')).status).toBe(200);
  expect(accountsOfLast()?.every((name) => name?.startsWith('eu'))).toBe(true);
  for (const name of ['eu', 'eu2']) await gateway.api('POST', `/api/accounts/${ids[name]}/pause`);
  const { status, text } = await ask('eu');
  expect([status, JSON.parse(text).error.code]).toEqual([503, 'no_accounts']);
  for (const name of ['eu', 'eu2']) await gateway.api('POST', `/api/accounts/${ids[name]}/reactivate`);
});

test('follows the region of new tokens, of a refresh as of an import', async () => {
  const [moved, last] = [await addAccount('jp1', 'jp'), await addAccount('jp2', 'jp')];
  await addKey('jp', ['jp']);
  moved.residency = 'us';
  moved.signIn();
  const form = new FormData();
  form.set('auth_json', new Blob([JSON.stringify(moved.authFile())]), 'auth.json');
  expect((await gateway.api('POST', '/api/accounts/import?on_duplicate=replace', form)).status).toBe(200);
  for (let request = 0; request < 4; request++) {
    expect((await ask('jp', { prompt_cache_key: `after the move ${request}` })).status).toBe(200);
    expect(accountsOfLast()).toEqual(['jp2']);
  }
  // The provider refuses the token, and its refresh brings the one of another region.
  last.residency = 'us';
  last.next(accessTokenRefused());
  gateway.provider.clearReceived();
  expect((await ask('jp')).status).toBe(503);
  const attempts = gateway.events('RequestCompleted').at(-1)?.data.attempts;
  expect(attempts?.map(({ outcome }) => outcome)).toEqual(['unauthorized', 'other_region']);
  expect(gateway.asked().map(({ headers }) => headers['x-openai-internal-codex-residency'])).toEqual(['jp']);
  expect(gateway.events('TokensRefreshed').at(-1)?.data).toMatchObject({ accountId: ids.jp2, region: 'us' });
  const { status, text } = await ask('jp');
  expect([status, JSON.parse(text).error.code]).toEqual([503, 'no_account_in_region']);
  const { body } = await gateway.api('GET', '/api/accounts');
  const regionOf = (name: string) =>
    body.accounts.find((each: { account_id: string }) => each.account_id === ids[name])?.region;
  expect(['us', 'eu', 'jp1', 'jp2', 'none'].map(regionOf)).toEqual(['US', 'eu', 'us', 'us', undefined]);
});

test('a change of its regions holds from the next request on, and stands in the history', async () => {
  const path = `/api/api-keys/${keys.moving?.id}`;
  expect((await gateway.api('PATCH', path, { regions: ['us', 'eu'] })).body.regions).toEqual(['eu', 'us']);
  expect((await ask('moving')).status).toBe(200);
  expect((await gateway.api('PATCH', path, { name: 'renamed' })).body.regions).toEqual(['eu', 'us']);
  expect((await gateway.api('PATCH', path, { regions: [] })).body.regions).toBeNull();
  const { body } = await gateway.api('GET', `/api/history?subject=apiKey-${keys.moving?.id}`);
  const sentences = body.events.map(({ sentence }: { sentence: string }) => sentence);
  expect(sentences).toEqual(
    expect.arrayContaining([
      expect.stringContaining('to be served in eu only'),
      'API key "moving" is served in eu, us only (before: eu only)',
      'API key "renamed" is served in every region (before: eu, us only)',
    ]),
  );
});

test('svc replay makes the same choices again', async () => {
  for (const key of ['eu', 'ap', 'eu']) await ask(key);
  const { exitCode, stdout, stderr } = await serve({
    folder: gateway.folder,
    provider: gateway.provider,
    command: [process.execPath, 'src/start.mjs', 'replay', '--json'],
  }).ended;
  const report = JSON.parse(stdout[0] ?? '');
  expect({ exitCode, stderr, ...report }).toMatchObject({ exitCode: 0, differences: [] });
  expect(report.choices).toBeGreaterThanOrEqual(3);
});
