import { expect, test } from 'vitest';
import { AUTH_CLAIM, authFile, form, jwt } from '../../../test/support/authFiles.ts';
import { sharedManagement, startManagement } from '../../../test/support/management.ts';
import { importedAccount } from '../../../test/support/specification.ts';
import { AccountDeleted, AccountImported } from '../../domain/account/events.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import { openIfSealed } from '../../vault/openIfSealed.ts';
import { importAccount, listAccounts } from '../resources/accountCalls.support.ts';

const shared = sharedManagement();

test.each([
  ['provider id and e-mail address', authFile(), /^acct_[0-9a-f]{20}$/, 'ada@example.com'],
  ['the provider id alone', authFile({ email: null }), /^acct_[0-9a-f]{20}$/, 'unknown@example.com'],
  ['the e-mail address alone', authFile({ accountId: null }), /^email_[0-9a-f]{12}$/, 'ada@example.com'],
  [
    'a random value without either',
    authFile({ accountId: null, email: null }),
    /^local_[0-9a-f]{12}$/,
    'unknown@example.com',
  ],
])('derives the account id from %s', async (_name, file, id, email) => {
  const stage = await startManagement();
  const response = await importAccount(stage, file);
  expect(response).toMatchObject({ account_id: expect.stringMatching(id), email });
});

test('shows an unknown plan as received, with invalid Unicode replaced', async () => {
  const stage = shared();
  expect((await importAccount(stage, authFile({ plan: ' Galactic ', accountId: 'p-1' }))).plan_type).toBe('Galactic');
  expect((await importAccount(stage, authFile({ plan: 'PRO', accountId: 'p-2' }))).plan_type).toBe('pro');
  expect((await importAccount(stage, authFile({ plan: 'half \ud83d', accountId: 'p-3' }))).plan_type).toBe(
    'half \ufffd',
  );
});

test('distinguishes accounts that share an e-mail address or a provider id', async () => {
  const stage = await startManagement();
  const ids = new Set();
  for (const [email, accountId] of [
    ['a@x.com', 'p1'],
    ['a@x.com', 'p2'],
    ['b@x.com', 'p1'],
  ] as const) {
    ids.add((await importAccount(stage, authFile({ email, accountId }))).account_id);
  }
  expect(ids.size).toBe(3);
});

test('an account that an earlier version imported keeps its id, and is recognised', async () => {
  const stage = await startManagement();
  const digest = stage.vault.digest('email', 'ada@example.com').slice(0, 8);
  const id = `provider-1_${digest}` as AccountId;
  await stage.append(AccountImported(importedAccount({ accountId: id, upstreamAccountId: 'provider-1' })));
  const file = new Blob([JSON.stringify(authFile())]);
  const again = await stage.call(
    'POST',
    '/api/accounts/import',
    form({ name: 'auth_json', content: await file.text() }),
  );
  expect(again).toMatchObject({ status: 409, body: { error: { code: 'duplicate_identity_conflict' } } });
  await stage.append(AccountDeleted({ accountId: id }));
  expect((await importAccount(stage, authFile())).account_id).toMatch(/^acct_/);
});

test('prefers the provider id of the file, then the nested claim, then the top-level one', async () => {
  const stage = await startManagement();
  const id = async (tokens: object, claims: object) => {
    const id_token = jwt({ email: 'ada@example.com', ...claims });
    const response = await importAccount(stage, { tokens: { ...authFile().tokens, id_token, ...tokens } });
    const account = stage.hot.state.accounts.get(response.account_id);
    return openIfSealed(account?.upstreamAccountId ?? null, stage.vault);
  };
  const claims = { [AUTH_CLAIM]: { chatgpt_account_id: 'nested' }, chatgpt_account_id: 'top' };
  expect(await id({ account_id: 'file' }, claims)).toBe('file');
  expect(await id({ accountId: 'file2' }, claims)).toBe('file2');
  expect(await id({ account_id: null }, claims)).toBe('nested');
  expect(await id({}, { chatgpt_account_id: 'top' })).toBe('top');
});

test('accepts tokens in camelCase, sent as a plain form field', async () => {
  const stage = await startManagement();
  const { id_token: idToken, access_token: accessToken, refresh_token: refreshToken } = authFile().tokens;
  const content = JSON.stringify({
    tokens: { idToken, accessToken, refreshToken },
    lastRefreshAt: '2026-01-10T00:00:00',
  });
  const { status } = await stage.call(
    'POST',
    '/api/accounts/import',
    form({ name: 'auth_json', content, plain: true }),
  );
  expect(status).toBe(200);
  expect((await listAccounts(stage))[0].last_refresh_at).toBe('2026-01-10T00:00:00.000Z');
});

test('accepts the part name in camelCase', async () => {
  const content = JSON.stringify(authFile());
  const stage = await startManagement();
  const { status } = await stage.call('POST', '/api/accounts/import', form({ name: 'authJson', content }));
  expect(status).toBe(200);
});

test('imports opaque tokens as an unknown account refreshed now', async () => {
  const stage = await startManagement();
  const tokens = { id_token: 'opaque', access_token: 'opaque', refresh_token: 'opaque', account_id: 'provider-9' };
  const response = await importAccount(stage, { tokens, last_refresh: 'some day', unknown: { field: true } });
  expect(response).toEqual({
    account_id: expect.stringMatching(/^acct_/),
    email: 'unknown@example.com',
    plan_type: 'unknown',
    status: 'active',
  });
  expect((await listAccounts(stage))[0]).toMatchObject({
    last_refresh_at: '2026-01-15T12:00:00.000Z',
    auth: {
      access: { expires_at: null, state: 'valid' },
      id_token: { expires_at: null, state: 'unknown' },
    },
  });
});
const { tokens } = authFile();
test.each([
  ['content that is not JSON', 'not json', 'the auth file is not JSON'],
  ['no content', '', 'the auth file is not JSON'],
  ['an array instead of an object', '[]', 'not a JSON object'],
  ['null instead of an object', 'null', 'not a JSON object'],
  ['no tokens', '{}', 'tokens is missing'],
  ['text as tokens', '{"tokens":"x"}', 'tokens is missing'],
  ['no access token', { tokens: { ...tokens, access_token: undefined } }, 'tokens.access_token is missing'],
  ['an empty refresh token', { tokens: { ...tokens, refresh_token: '' } }, 'tokens.refresh_token is missing'],
  ['a number as id token', { tokens: { ...tokens, id_token: 7 } }, 'tokens.id_token must be a string'],
  [
    'a token with a line break',
    { tokens: { ...tokens, access_token: 'a\r\nx-evil: 1' } },
    'tokens.access_token contains',
  ],
  [
    'a token that is longer than any token of the provider',
    { tokens: { ...tokens, refresh_token: 'x'.repeat(12_289) } },
    'tokens.refresh_token must have at most 12288 characters',
  ],
  ['an account id with a line break', { tokens: { ...tokens, account_id: 'a\nb' } }, 'tokens.account_id contains'],
])('rejects an auth file with %s', async (_name, file, message) => {
  const content = typeof file === 'string' ? file : JSON.stringify(file);
  const { status, body } = await shared().call('POST', '/api/accounts/import', form({ name: 'auth_json', content }));
  expect([status, body.error.code]).toEqual([400, 'invalid_auth_json']);
  expect(body.error.message.toLowerCase()).toContain(message.toLowerCase());
});

test('keeps the longest account in an event below 64 kB', async () => {
  const stage = await startManagement();
  const claims = {
    name: 'é'.repeat(2_000),
    email: 'e'.repeat(320),
    [AUTH_CLAIM]: { chatgpt_plan_type: '☃'.repeat(500) },
  };
  const id_token = jwt({ ...claims, padding: 'x'.repeat(2_500) });
  const longest = 'x'.repeat(12_288);
  const file = { tokens: { access_token: longest, refresh_token: longest, id_token, account_id: 'p'.repeat(200) } };
  expect((await importAccount(stage, file)).plan_type).toBe('☃'.repeat(100));
  const [imported] = await Array.fromAsync(stage.log.readAll(0 as never));
  expect(Buffer.byteLength(JSON.stringify(imported))).toBeLessThan(64_000);
});

test('rejects an auth file that is not UTF-8', async () => {
  const content = Buffer.concat([Buffer.from('{"tokens":{},"x":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
  const { status, body } = await shared().call('POST', '/api/accounts/import', form({ name: 'auth_json', content }));
  expect([status, body.error.message]).toEqual([400, 'The auth file is not JSON in UTF-8']);
});

test.each([
  ['another part only', form({ name: 'file', content: '{}' }), 'The form has no part "auth_json"'],
  [
    'the part twice',
    form({ name: 'auth_json', content: '{}' }, { name: 'auth_json', content: '{}' }),
    'The form has several parts "auth_json"',
  ],
  [
    'more than 1 MiB',
    form({ name: 'auth_json', content: 'x'.repeat(1_100_000) }),
    'The auth file is larger than 1048576 bytes',
  ],
])('rejects a form with %s', async (_name, sent, message) => {
  const { status, body } = await shared().call('POST', '/api/accounts/import', sent);
  expect([status, body]).toEqual([400, { error: { code: 'invalid_auth_json', message } }]);
});
