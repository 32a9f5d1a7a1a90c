import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { AUTH_CLAIM, authFile, form, jwt, upload } from '../../test/support/authFiles.ts';
import { type Stage, sharedManagement, startManagement } from '../../test/support/management.ts';
import { HOUR, NOW } from '../../test/support/specification.ts';
import { AccountUsageObserved } from '../domain/accountUsage/events.ts';
import { type AccountId, instant } from '../domain/brands.ts';
import { CannotOpen } from '../vault/vault.ts';
import { destroyKeysOfDeletedAccounts } from './destroyKeysOfDeletedAccounts.ts';

const unchanged = sharedManagement();

async function imported({ call }: Stage, file: unknown = authFile(), query = '') {
  const { status, body, text } = await call('POST', `/api/accounts/import${query}`, upload(file));
  expect([status, text]).toEqual([200, text]);
  return body;
}

const listed = async ({ call }: Stage) => (await call('GET', '/api/accounts')).body.accounts;

test('an imported account is answered and listed with all that the specification names', async () => {
  const stage = await startManagement();
  const answer = await imported(stage);
  expect(answer).toEqual({
    account_id: expect.stringMatching(/^provider-1_[0-9a-f]{8}$/),
    email: 'ada@example.com',
    plan_type: 'plus',
    status: 'active',
  });
  expect((await stage.call('GET', '/api/accounts')).body).toEqual({
    accounts: [
      {
        account_id: answer.account_id,
        email: 'ada@example.com',
        display_name: 'ada@example.com',
        plan_type: 'plus',
        status: 'active',
        usage: { primary_remaining_percent: 100, secondary_remaining_percent: 100 },
        reset_at_primary: null,
        reset_at_secondary: null,
        window_minutes_primary: 1_440,
        window_minutes_secondary: 10_080,
        capacity_credits_primary: 225,
        remaining_credits_primary: 225,
        capacity_credits_secondary: 7_560,
        remaining_credits_secondary: 7_560,
        last_refresh_at: '2026-01-14T08:30:00.123Z',
        usage_observed_at: null,
        deactivation_reason: null,
        availability: { state: 'available', reason: null, until: null },
        auth: {
          access: { expires_at: '2030-01-01T00:00:00.000Z', state: 'valid' },
          refresh: { expires_at: null, state: 'stored' },
          id_token: { expires_at: '2030-03-17T17:46:40.000Z', state: 'parsed' },
        },
      },
    ],
  });
});

test('usage, resets, credits and availability come from the last sample', async () => {
  const stage = await startManagement();
  const { account_id: accountId } = await imported(stage);
  const resetAt = instant(NOW + HOUR);
  await stage.append(
    AccountUsageObserved({
      accountId,
      primary: { usedPercent: 40, resetAt, windowMinutes: 300 },
      secondary: { usedPercent: 120, resetAt, windowMinutes: 10_080 },
      credits: null,
    }),
  );
  const [account] = await listed(stage);
  expect(account).toMatchObject({
    status: 'active',
    usage: { primary_remaining_percent: 60, secondary_remaining_percent: 0 },
    reset_at_primary: '2026-01-15T13:00:00.000Z',
    window_minutes_primary: 300,
    remaining_credits_primary: 135,
    remaining_credits_secondary: 0,
    availability: { state: 'quota_exceeded', until: '2026-01-15T13:00:00.000Z' },
  });
  stage.clock.now = instant(NOW + 2 * HOUR);
  expect((await listed(stage))[0].availability.state).toBe('available');
});

test('an account that failed a moment ago is shown as cooling', async () => {
  const stage = await startManagement();
  const { account_id } = await imported(stage);
  stage.cooling.set(account_id, { until: instant(NOW + 4_000), reason: 'the provider did not answer' });
  expect((await listed(stage))[0].availability).toEqual({
    state: 'cooling',
    reason: 'the provider did not answer',
    until: '2026-01-15T12:00:04.000Z',
  });
});

test('an access token that has run out is shown as expired', async () => {
  const stage = await startManagement();
  const file = authFile();
  const access_token = jwt({ exp: NOW / 1_000 - 1 });
  await imported(stage, { ...file, tokens: { ...file.tokens, access_token } });
  expect((await listed(stage))[0].auth.access).toEqual({ expires_at: '2026-01-15T11:59:59.000Z', state: 'expired' });
});

test.each([
  ['plus', 225, 7_560],
  ['team', 225, 7_560],
  ['business', 225, 7_560],
  ['edu', 225, 7_560],
  ['pro', 1_500, 50_400],
  ['enterprise', 1_500, 50_400],
  ['free', 0, 1_134],
  ['constructor', 0, 0],
])('the plan %s has %d and %d credits', async (plan, primary, secondary) => {
  const stage = unchanged();
  const { account_id } = await imported(stage, authFile({ plan, accountId: `plan-${plan}` }));
  const found = (await listed(stage)).find((account: { account_id: string }) => account.account_id === account_id);
  expect(found).toMatchObject({ capacity_credits_primary: primary, capacity_credits_secondary: secondary });
});

test('pausing, reactivating and deleting an account answer with what was done', async () => {
  const stage = await startManagement();
  const { account_id } = await imported(stage);
  const act = async (method: string, action = '') => {
    const { status, body } = await stage.call(method, `/api/accounts/${account_id}${action}`);
    return [status, body, (await listed(stage)).map(({ status: shown }: { status: string }) => shown)];
  };
  expect(await act('POST', '/pause')).toEqual([200, { status: 'paused' }, ['paused']]);
  expect(await act('POST', '/pause')).toEqual([200, { status: 'paused' }, ['paused']]);
  expect(await act('POST', '/reactivate')).toEqual([200, { status: 'reactivated' }, ['active']]);
  expect(await act('POST', '/reactivate')).toEqual([200, { status: 'reactivated' }, ['active']]);
  expect(await act('DELETE')).toEqual([200, { status: 'deleted' }, []]);
});

test.each([
  ['POST', '/pause'],
  ['POST', '/reactivate'],
  ['DELETE', ''],
])('%s %s of an account that is not there is 404', async (method, action) => {
  for (const id of ['nobody', '%2Fetc', '%ff']) {
    const { status, body } = await unchanged().call(method, `/api/accounts/${id}${action}`);
    expect([status, body.error.code]).toEqual([404, 'account_not_found']);
  }
});

/** Files as the form parser would name them. */
const uploadedFiles = () => readdirSync(tmpdir()).filter((name) => /^[a-z0-9]{25}$/.test(name));

test('no token, e-mail or name is kept in the clear, neither in the log nor as an uploaded file', async () => {
  const stage = await startManagement();
  const before = uploadedFiles();
  await imported(stage, authFile({ claims: { name: 'Ada Lovelace' } }));
  expect((await listed(stage))[0].display_name).toBe('Ada Lovelace');
  const log = JSON.stringify(await Array.fromAsync(stage.log.readAll(0 as never)));
  for (const secret of ['ada@example.com', 'Ada', 'rt_secret', 'c2ln']) expect(log).not.toContain(secret);
  expect(uploadedFiles()).toEqual(before);
});

test('deleting an account destroys its keys: what the log kept of it cannot be opened, not even after a new import', async () => {
  const stage = await startManagement();
  const { account_id } = await imported(stage);
  const email = stage.hot.state.accounts.get(account_id)?.email;
  if (!email) throw new Error('no sealed e-mail');
  expect(stage.vault.open(email)).toBe('ada@example.com');
  await stage.call('DELETE', `/api/accounts/${account_id}`);
  expect(() => stage.vault.open(email)).toThrow(CannotOpen);
  expect((await imported(stage)).account_id).toBe(account_id);
  expect(() => stage.vault.open(email)).toThrow(CannotOpen);
  expect((await listed(stage))[0].email).toBe('ada@example.com');
});

test('deleting and importing one account at once never leaves it with destroyed keys', async () => {
  const stage = await startManagement();
  const { account_id } = await imported(stage);
  const path = `/api/accounts/${account_id}`;
  await Promise.all([stage.call('DELETE', path), stage.call('POST', '/api/accounts/import', upload(authFile()))]);
  for (const { email } of await listed(stage)) expect(email).toBe('ada@example.com');
});

test('at start the keys of deleted accounts are destroyed, those of others stay', async () => {
  const stage = await startManagement();
  const gone = (await imported(stage)).account_id as AccountId;
  await imported(stage, authFile({ email: 'grace@example.com' }));
  await stage.call('DELETE', `/api/accounts/${gone}`);
  // As after a crash between the event and the destruction.
  const left = stage.vault.seal(await stage.vault.createKey(gone), 'left behind');
  await destroyKeysOfDeletedAccounts(stage);
  expect(() => stage.vault.open(left)).toThrow(CannotOpen);
  expect((await listed(stage))[0].email).toBe('grace@example.com');
});

test('an account whose key is lost does not hide the others', async () => {
  const stage = await startManagement();
  const lost = (await imported(stage)).account_id;
  await imported(stage, authFile({ email: 'grace@example.com' }));
  await stage.vault.destroy(lost);
  const emails = (await listed(stage)).map(({ email }: { email: string }) => email);
  expect(emails).toEqual(['unknown@example.com', 'grace@example.com']);
});

test('a known identity is refused, and the answer says how to go on', async () => {
  const stage = await startManagement();
  const { account_id } = await imported(stage);
  const position = stage.hot.state.position;
  const { status, body } = await stage.call(
    'POST',
    '/api/accounts/import',
    upload(authFile({ email: 'ADA@example.com' })),
  );
  expect([status, body.error.code]).toEqual([409, 'duplicate_identity_conflict']);
  expect(body.error.message).toContain(account_id);
  expect(body.error.message).toContain('on_duplicate=replace');
  expect(stage.hot.state.position).toBe(position);
});

test('with import_without_overwrite a known identity is skipped and nothing changes', async () => {
  const told: string[] = [];
  const stage = await startManagement({ onAccountImported: (id) => told.push(id) });
  const first = await imported(stage);
  const body = { sticky_threads_enabled: true, prefer_earlier_reset_accounts: false, import_without_overwrite: true };
  await stage.call('PUT', '/api/settings', { body });
  const { position } = stage.hot.state;
  expect(await imported(stage, authFile({ plan: 'pro' }))).toEqual(first);
  expect([stage.hot.state.position, told]).toEqual([position, [first.account_id]]);
});

test('on_duplicate=replace brings new tokens, and a paused account stays paused', async () => {
  const told: string[] = [];
  const stage = await startManagement({ onAccountImported: (id) => told.push(id) });
  const { account_id } = await imported(stage);
  const file = authFile({ plan: 'pro' });
  file.tokens.refresh_token = 'rt_new';
  const answer = await imported(stage, file, '?on_duplicate=replace');
  expect(answer).toEqual({ account_id, email: 'ada@example.com', plan_type: 'pro', status: 'active' });
  const refresh = stage.hot.state.tokens.get(account_id)?.tokens?.refresh;
  expect(refresh && stage.vault.open(refresh)).toBe('rt_new');
  expect(told).toEqual([account_id, account_id]);
  await stage.call('POST', `/api/accounts/${account_id}/pause`);
  expect((await imported(stage, file, '?onDuplicate=replace')).status).toBe('paused');
});

test('any other on_duplicate is refused', async () => {
  const { status, body } = await unchanged().call(
    'POST',
    '/api/accounts/import?on_duplicate=merge',
    upload(authFile()),
  );
  expect([status, body.error.code]).toEqual([400, 'validation_error']);
  expect(body.error.message).toContain('on_duplicate');
});

test('of ten imports of one identity at once, one is taken', async () => {
  const stage = await startManagement();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => stage.call('POST', '/api/accounts/import', upload(authFile()))),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(409)]);
  expect(await listed(stage)).toHaveLength(1);
});

test.each([
  ['a provider account and an e-mail', authFile(), /^provider-1_[0-9a-f]{8}$/, 'ada@example.com'],
  ['a provider account alone', authFile({ email: null }), /^provider-1$/, 'unknown@example.com'],
  ['an e-mail alone', authFile({ accountId: null }), /^email_[0-9a-f]{12}$/, 'ada@example.com'],
  ['neither', authFile({ accountId: null, email: null }), /^local_[0-9a-f]{12}$/, 'unknown@example.com'],
])('the identity is made from %s', async (_name, file, id, email) => {
  const stage = await startManagement();
  const answer = await imported(stage, file);
  expect(answer).toMatchObject({ account_id: expect.stringMatching(id), email });
});

test('a plan that nobody knows is shown as it is, as far as it is text', async () => {
  const stage = unchanged();
  expect((await imported(stage, authFile({ plan: ' Galactic ', accountId: 'p-1' }))).plan_type).toBe('Galactic');
  expect((await imported(stage, authFile({ plan: 'PRO', accountId: 'p-2' }))).plan_type).toBe('pro');
  expect((await imported(stage, authFile({ plan: 'half \ud83d', accountId: 'p-3' }))).plan_type).toBe('half \ufffd');
});

test('one login may own several provider accounts, and one provider account may have several seats', async () => {
  const stage = await startManagement();
  const ids = new Set();
  for (const [email, accountId] of [
    ['a@x.com', 'p1'],
    ['a@x.com', 'p2'],
    ['b@x.com', 'p1'],
  ] as const) {
    ids.add((await imported(stage, authFile({ email, accountId }))).account_id);
  }
  expect(ids.size).toBe(3);
});

test('the provider account is taken from the tokens first, then from the claim of the provider, then from the top', async () => {
  const stage = await startManagement();
  const id = async (tokens: object, claims: object) => {
    const id_token = jwt({ email: 'ada@example.com', ...claims });
    const answer = await imported(stage, { tokens: { ...authFile().tokens, id_token, ...tokens } });
    return answer.account_id.split('_')[0];
  };
  const claims = { [AUTH_CLAIM]: { chatgpt_account_id: 'nested' }, chatgpt_account_id: 'top' };
  expect(await id({ account_id: 'file' }, claims)).toBe('file');
  expect(await id({ accountId: 'file2' }, claims)).toBe('file2');
  expect(await id({ account_id: null }, claims)).toBe('nested');
  expect(await id({}, { chatgpt_account_id: 'top' })).toBe('top');
});

test('tokens in camelCase, as a plain field of the form, are an auth file too', async () => {
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
  expect((await listed(stage))[0].last_refresh_at).toBe('2026-01-10T00:00:00.000Z');
});

test('the part may be spelled in camelCase, as all input may', async () => {
  const content = JSON.stringify(authFile());
  const stage = await startManagement();
  const { status } = await stage.call('POST', '/api/accounts/import', form({ name: 'authJson', content }));
  expect(status).toBe(200);
});

test('a file with tokens that nobody can read is an unknown account, refreshed now', async () => {
  const stage = await startManagement();
  const tokens = { id_token: 'opaque', access_token: 'opaque', refresh_token: 'opaque', account_id: 'provider-9' };
  const answer = await imported(stage, { tokens, last_refresh: 'some day', unknown: { field: true } });
  expect(answer).toEqual({
    account_id: 'provider-9',
    email: 'unknown@example.com',
    plan_type: 'unknown',
    status: 'active',
  });
  expect((await listed(stage))[0]).toMatchObject({
    last_refresh_at: '2026-01-15T12:00:00.000Z',
    auth: {
      access: { expires_at: null, state: 'valid' },
      id_token: { expires_at: null, state: 'unknown' },
    },
  });
});

const { tokens } = authFile();
test.each([
  ['what is not JSON', 'not json', 'the auth file is not JSON'],
  ['an empty file', '', 'the auth file is not JSON'],
  ['an array', '[]', 'not a JSON object'],
  ['null', 'null', 'not a JSON object'],
  ['no tokens', '{}', 'tokens is missing'],
  ['tokens that are text', '{"tokens":"x"}', 'tokens is missing'],
  ['no access token', { tokens: { ...tokens, access_token: undefined } }, 'tokens.access_token is missing'],
  ['an empty refresh token', { tokens: { ...tokens, refresh_token: '' } }, 'tokens.refresh_token is missing'],
  ['an id token that is a number', { tokens: { ...tokens, id_token: 7 } }, 'tokens.id_token must be a string'],
  ['a token with a line break', { tokens: { ...tokens, access_token: 'a\r\nx-evil: 1' } }, 'tokens.access_token holds'],
  ['an account id with a line break', { tokens: { ...tokens, account_id: 'a\nb' } }, 'tokens.account_id holds'],
])('%s is no auth file', async (_name, file, message) => {
  const content = typeof file === 'string' ? file : JSON.stringify(file);
  const { status, body } = await unchanged().call('POST', '/api/accounts/import', form({ name: 'auth_json', content }));
  expect([status, body.error.code]).toEqual([400, 'invalid_auth_json']);
  expect(body.error.message.toLowerCase()).toContain(message.toLowerCase());
});

test('bytes that are not UTF-8 are no auth file', async () => {
  const content = Buffer.concat([Buffer.from('{"tokens":{},"x":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
  const { status, body } = await unchanged().call('POST', '/api/accounts/import', form({ name: 'auth_json', content }));
  expect([status, body.error.message]).toEqual([400, 'The auth file is not JSON in UTF-8']);
});

test.each([
  ['another part', form({ name: 'file', content: '{}' }), 'The form has no part "auth_json"'],
  [
    'the part twice',
    form({ name: 'auth_json', content: '{}' }, { name: 'auth_json', content: '{}' }),
    'The form has several parts "auth_json"',
  ],
  [
    'more than a mebibyte',
    form({ name: 'auth_json', content: 'x'.repeat(1_100_000) }),
    'The auth file is larger than 1048576 bytes',
  ],
])('a form with %s is refused', async (_name, sent, message) => {
  const { status, body } = await unchanged().call('POST', '/api/accounts/import', sent);
  expect([status, body]).toEqual([400, { error: { code: 'invalid_auth_json', message } }]);
});
