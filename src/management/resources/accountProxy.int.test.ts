import { expect, test } from 'vitest';
import { authFile, form } from '../../../test/support/authFiles.ts';
import { sharedManagement, startManagement } from '../../../test/support/management.ts';
import { importAccount, listAccounts } from './accountCalls.support.ts';

const shared = sharedManagement();
const ADDRESS = 'http://user:s3cr3t@Proxy.Test:3128';

/** The log, as an operator with access to the file reads it. */
async function logText({ log }: Awaited<ReturnType<typeof startManagement>>): Promise<string> {
  return JSON.stringify(await Array.fromAsync(log.readAll(0 as never)));
}

test('sets, replaces and removes the proxy of an account, and shows host and port only', async () => {
  const stage = await startManagement();
  const { account_id: id } = await importAccount(stage);
  expect(await listAccounts(stage)).toMatchObject([{ proxy: null }]);
  const patch = async (proxy: unknown) => stage.call('PATCH', `/api/accounts/${id}`, { body: { proxy } });
  const set = await patch(ADDRESS);
  expect([set.status, set.body.account_id, set.body.proxy]).toEqual([200, id, 'proxy.test:3128']);
  expect((await patch('socks5://other.test')).body.proxy).toBe('other.test:1080');
  expect(await listAccounts(stage)).toMatchObject([{ proxy: 'other.test:1080' }]);
  expect((await patch(null)).body.proxy).toBeNull();
  const changes = (await Array.fromAsync(stage.log.readAll(0 as never))).filter(
    ({ type }) => type === 'AccountProxyChanged',
  );
  expect(changes.map(({ data }) => data)).toEqual([
    { accountId: id, from: null, to: 'proxy.test:3128', proxy: expect.stringMatching(/^sealed\./) },
    { accountId: id, from: 'proxy.test:3128', to: 'other.test:1080', proxy: expect.stringMatching(/^sealed\./) },
    { accountId: id, from: 'other.test:1080', to: null, proxy: null },
  ]);
  const { body } = await stage.call('GET', '/api/history?type=AccountProxyChanged');
  expect(JSON.stringify([body, set.body])).not.toMatch(/s3cr3t|user:/);
  expect(await logText(stage)).not.toContain('s3cr3t');
});

test('the same address again changes nothing', async () => {
  const stage = await startManagement();
  const { account_id: id } = await importAccount(stage);
  await stage.call('PATCH', `/api/accounts/${id}`, { body: { proxy: ADDRESS } });
  const before = stage.hot.state.position;
  for (const body of [{ proxy: ADDRESS }, {}]) {
    expect((await stage.call('PATCH', `/api/accounts/${id}`, { body })).body.proxy).toBe('proxy.test:3128');
  }
  expect(stage.hot.state.position).toBe(before);
});

test('a new password of the same proxy is a change', async () => {
  const stage = await startManagement();
  const { account_id: id } = await importAccount(stage);
  await stage.call('PATCH', `/api/accounts/${id}`, { body: { proxy: ADDRESS } });
  await stage.call('PATCH', `/api/accounts/${id}`, { body: { proxy: ADDRESS.replace('s3cr3t', 'other') } });
  const proxy = stage.hot.state.accounts.get(id)?.proxy;
  expect(stage.vault.open(proxy as never)).toBe(ADDRESS.replace('s3cr3t', 'other'));
});

test('an import sets the proxy; one without it keeps the proxy of a known account', async () => {
  const stage = await startManagement();
  const content = JSON.stringify(authFile());
  const send = (query: string, ...parts: Parameters<typeof form>) =>
    stage.call('POST', `/api/accounts/import${query}`, form({ name: 'auth_json', content }, ...parts));
  expect((await send('', { name: 'proxy', content: ADDRESS, plain: true })).status).toBe(200);
  expect(await listAccounts(stage)).toMatchObject([{ proxy: 'proxy.test:3128' }]);
  expect((await send('?on_duplicate=replace')).status).toBe(200);
  expect(await listAccounts(stage)).toMatchObject([{ proxy: 'proxy.test:3128' }]);
  await send('?on_duplicate=replace', { name: 'proxy', content: 'https://other.test' });
  expect(await listAccounts(stage)).toMatchObject([{ proxy: 'other.test:443' }]);
  expect(await logText(stage)).not.toContain('s3cr3t');
});

test.each([
  ['an address without a host', 'http://', 'proxy must be the address of an http, https or socks5 proxy'],
  ['another scheme', 'ftp://user:s3cr3t@proxy.test', 'proxy must be the address'],
  ['a path', 'http://user:s3cr3t@proxy.test/x', 'proxy must end after the port'],
  ['an empty text', '', 'proxy must be the address'],
  ['a number', 7, 'proxy must be a string'],
])('refuses %s by name, without its text', async (_, proxy, message) => {
  const stage = shared();
  const { account_id: id } = await importAccount(stage, authFile(), '?on_duplicate=replace');
  const { status, body } = await stage.call('PATCH', `/api/accounts/${id}`, { body: { proxy } });
  expect([status, body.error.code]).toEqual([400, 'validation_error']);
  expect(body.error.message.toLowerCase()).toContain(message);
  expect(body.error.message).not.toContain('s3cr3t');
});

test('refuses an import with an invalid proxy, or two, and imports nothing', async () => {
  const stage = await startManagement();
  const file = { name: 'auth_json', content: JSON.stringify(authFile()) };
  const proxy = { name: 'proxy', content: 'ftp://user:s3cr3t@proxy.test' };
  for (const parts of [
    [file, proxy],
    [file, { ...proxy, content: ADDRESS }, { ...proxy, content: ADDRESS }],
  ]) {
    const { status, body } = await stage.call('POST', '/api/accounts/import', form(...parts));
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
    expect(JSON.stringify(body)).not.toContain('s3cr3t');
  }
  expect(await listAccounts(stage)).toEqual([]);
});

test('an unknown account and an unknown field are refused', async () => {
  const stage = shared();
  const unknown = await stage.call('PATCH', '/api/accounts/unknown', { body: { proxy: null } });
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'account_not_found']);
  const field = await stage.call('PATCH', '/api/accounts/unknown', { body: { prxy: null } });
  expect([field.status, field.body.error.message]).toEqual([400, expect.stringContaining('is not a known field')]);
});
