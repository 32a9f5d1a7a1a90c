import { expect, test } from 'vitest';
import { type Browser, browser, codeAt, logIn, PASSWORD, setUp, setUpTotp } from '../../test/support/browser.ts';
import { type Stage, startManagement } from '../../test/support/management.ts';
import { invite, join, OPERATOR_PASSWORD, secretOf, signIn, withToken } from '../../test/support/operators.ts';
import type { Instant } from '../domain/core/brands.ts';

const MINUTE = 60_000;
const advance = (stage: Stage, ms: number) => {
  stage.clock.now = (stage.clock.now + ms) as Instant;
};
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body?.error?.code ?? 'ok',
];
const history = async (client: Pick<Browser, 'call'>, query: string) =>
  (await client.call('GET', `/api/history?${query}`)).body.events as {
    type: string;
    sentence: string;
    actor: Record<string, unknown>;
  }[];

test('invites an operator by a link that works once, and shows who acted', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const { id, invitation_url, ...entry } = await invite(administrator, 'Ada', 'operator');
  expect(entry).toMatchObject({ name: 'Ada', email: 'ada@example.com', role: 'operator', status: 'invited' });
  // From SVC_PUBLIC_URL, and the secret where no log of a server has it.
  expect(invitation_url).toMatch(/^https:\/\/svc\.example\/invitation#/);
  const ada = browser(stage);
  const token = secretOf(invitation_url);
  expect((await ada.post('invitation', { token })).body).toMatchObject({
    ...{ name: 'Ada', role: 'operator', invitedBy: 'Built-in administrator', isForNewPassword: false },
  });
  expect((await ada.post('invitation/accept', { token, password: OPERATOR_PASSWORD })).body).toMatchObject({
    isPasswordVerified: true,
    operator: { id, name: 'Ada', role: 'operator' },
  });
  expect(codeOf(await browser(stage).post('invitation/accept', { token, password: 'another one' }))).toEqual([
    400,
    'invalid_invitation',
  ]);
  await ada.call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.9' } });
  const [event] = await history(administrator, `actor=person:${id}&type=IpAllowed`);
  expect(event?.actor).toMatchObject({ operator_id: id, name: 'Ada', method: 'password', address: '127.0.0.1' });
  expect(await history(administrator, 'actor=person:administrator&type=IpAllowed')).toEqual([]);
  expect((await history(administrator, `subject=operator-${id}`)).map(({ type }) => type)).toEqual([
    'OperatorPasswordSet',
    'OperatorInvitationAccepted',
    'OperatorInvited',
  ]);
  expect(JSON.stringify(await history(administrator, 'limit=200'))).not.toContain(token);
});

test('accepts an invitation from one of two requests that send it at once', async () => {
  const stage = await startManagement();
  const { invitation_url } = await invite(await setUp(stage), 'Ada', 'member');
  const accept = { token: secretOf(invitation_url), password: OPERATOR_PASSWORD };
  const both = await Promise.all([1, 2].map(() => browser(stage).post('invitation/accept', accept)));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
});

test('ends an invitation after 7 days, with a new link, and for a disabled operator', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const accept = async (url: string) =>
    codeOf(await browser(stage).post('invitation/accept', { token: secretOf(url), password: OPERATOR_PASSWORD }));
  const first = await invite(administrator, 'Ada', 'member');
  const { body: second } = await administrator.call('POST', `/api/operators/${first.id}/invitation`);
  expect(await accept(first.invitation_url)).toEqual([400, 'invalid_invitation']);
  await administrator.call('PATCH', `/api/operators/${first.id}`, { body: { is_active: false } });
  expect(await accept(second.invitation_url)).toEqual([400, 'invalid_invitation']);
  await administrator.call('PATCH', `/api/operators/${first.id}`, { body: { is_active: true } });
  advance(stage, 7 * 24 * 60 * MINUTE);
  expect(await accept(second.invitation_url)).toEqual([400, 'invalid_invitation']);
});

test('names who made the last link, which sets a new password of one who has accepted', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const ada = await join(stage, administrator, 'Ada', 'administrator');
  const bob = await join(stage, administrator, 'Bob', 'member');
  const { body } = await ada.call('POST', `/api/operators/${bob.id}/invitation`);
  const shown = await browser(stage).post('invitation', { token: secretOf(body.invitation_url) });
  expect(shown.body).toMatchObject({ name: 'Bob', invitedBy: 'Ada', isForNewPassword: true });
});

test('never builds a link from the Host header', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const body = { name: 'Ada', email: 'ada@example.com', role: 'member' };
  const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
  const { text } = await administrator.call('POST', '/api/operators', { body, headers });
  expect(text).toContain('https://svc.example/invitation#');
  expect(text).not.toContain('evil');
});

test('signs in by name or address in any case, and binds the session to the person', async () => {
  const stage = await startManagement();
  const ada = await join(stage, await setUp(stage), 'Ada', 'auditor');
  for (const login of ['Ada', 'ADA', ' ada@EXAMPLE.com ']) {
    const { body } = await (await signIn(stage, login)).call('GET', '/api/dashboard-auth/session');
    expect(body.operator).toEqual({ id: ada.id, name: 'Ada', role: 'auditor' });
  }
});

test('refuses unknown names and wrong passwords alike, by message, cost and throttle', async () => {
  const stage = await startManagement();
  await join(stage, await setUp(stage), 'Ada', 'auditor');
  const failures = async (login: string) => {
    const responses = [];
    for (let attempt = 0; attempt < 9; attempt++) {
      const { status, text } = await browser(stage).post('login', { login, password: 'wrong horse' });
      responses.push([status, text]);
    }
    advance(stage, 2 * MINUTE);
    return responses;
  };
  expect(await failures('Ada')).toEqual(await failures('Nobody'));
});

test('throttles one operator from many addresses, and no other one', async () => {
  const stage = await startManagement({
    connection: { remoteAddress: ({ headers }) => String(headers['x-test-address']) },
  });
  const administrator = await setUp(stage, { address: '127.0.0.1' });
  for (const name of ['Ada', 'Bob']) {
    const { invitation_url } = await invite(administrator, name, 'member');
    await browser(stage).post('invitation/accept', { token: secretOf(invitation_url), password: OPERATOR_PASSWORD });
  }
  const attempt = async (login: string, n: number, password = 'wrong horse') =>
    (await browser(stage, { address: `203.0.113.${n}` }).post('login', { login, password })).status;
  const statuses = [];
  for (let n = 1; n <= 12; n++) statuses.push(await attempt('Ada', n));
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  expect(await attempt(' ADA ', 99, OPERATOR_PASSWORD)).toBe(429);
  // A throttle of both would tell strangers that the name and the address are those of one person.
  expect(await attempt('ada@example.com', 99, OPERATOR_PASSWORD)).toBe(200);
  expect(await attempt('Bob', 1, OPERATOR_PASSWORD)).toBe(200);
});

test('binds a role change, a disabled and a removed operator to the next request of an open session', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const ada = await join(stage, administrator, 'Ada', 'operator');
  const allow = (n: number) => ada.call('POST', '/api/firewall/ips', { body: { ip_address: `10.0.0.${n}` } });
  const change = (body: object) => administrator.call('PATCH', `/api/operators/${ada.id}`, { body });
  expect((await allow(1)).status).toBe(200);
  await change({ role: 'auditor' });
  expect(codeOf(await allow(2))).toEqual([403, 'insufficient_permissions']);
  await change({ role: 'operator' });
  expect((await allow(3)).status).toBe(200);
  await change({ is_active: false });
  expect(codeOf(await allow(4))).toEqual([401, 'authentication_required']);
  expect(codeOf(await browser(stage).post('login', { login: 'Ada', password: OPERATOR_PASSWORD }))).toEqual([
    401,
    'invalid_credentials',
  ]);
  await change({ is_active: true });
  const again = await signIn(stage, 'Ada');
  await administrator.call('DELETE', `/api/operators/${ada.id}`);
  expect((await again.call('GET', '/api/accounts')).status).toBe(401);
});

test('stays closed when the dashboard password is removed once there is an operator', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const { id } = await invite(administrator, 'Ada', 'administrator');
  const { body: made } = await administrator.call('POST', '/api/tokens', {
    body: { name: 'ci', role: 'administrator' },
  });
  expect(
    (await administrator.call('DELETE', '/api/dashboard-auth/password', { body: { password: PASSWORD } })).status,
  ).toBe(200);
  const stranger = browser(stage);
  expect(codeOf(await stranger.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
  expect(codeOf(await stranger.post('password/setup', { password: 'a new password' }))).toEqual([
    401,
    'authentication_required',
  ]);
  // Only the sign-in is closed: what the built-in administrator has made works, and the list of operators cannot be emptied.
  const script = withToken(stage, made.token);
  expect((await script.call('GET', '/api/accounts')).status).toBe(200);
  expect(codeOf(await script.call('DELETE', `/api/operators/${id}`))).toEqual([409, 'last_administrator']);
  const ada = await script.call('POST', `/api/operators/${id}/invitation`);
  const accept = { token: secretOf(ada.body.invitation_url), password: OPERATOR_PASSWORD };
  expect((await stranger.post('invitation/accept', accept)).status).toBe(200);
  expect((await stranger.call('GET', '/api/accounts')).status).toBe(200);
  expect((await stranger.post('password/setup', { password: PASSWORD })).status).toBe(200);
  await logIn(stage);
});

test('answers as before while there is only the built-in administrator', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  advance(stage, 11 * 60 * MINUTE);
  expect((await administrator.call('GET', '/api/dashboard-auth/session')).body).toEqual({
    isPasswordConfigured: true,
    isPasswordVerified: true,
    isTotpConfigured: false,
    isTotpVerified: false,
    isTotpRequiredOnLogin: false,
  });
  const { body: key } = await administrator.call('POST', '/api/api-keys', { body: { name: 'k' } });
  expect((await administrator.call('POST', `/api/api-keys/${key.id}/regenerate`)).status).toBe(200);
});

test('asks for a fresh sign-in before what cannot be undone, after role and existence', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const { body: key } = await administrator.call('POST', '/api/api-keys', { body: { name: 'k' } });
  const regenerate = async (id = key.id) => codeOf(await administrator.call('POST', `/api/api-keys/${id}/regenerate`));
  await invite(administrator, 'Ada', 'member');
  expect(await regenerate()).toEqual([200, 'ok']);
  advance(stage, 10 * MINUTE);
  expect(await regenerate()).toEqual([401, 'reauthentication_required']);
  expect(await regenerate('unknown')).toEqual([404, 'not_found']);
  const reauthenticate = async (password: string) => codeOf(await administrator.post('reauthenticate', { password }));
  expect(await reauthenticate('wrong horse')).toEqual([401, 'invalid_credentials']);
  expect(await regenerate()).toEqual([401, 'reauthentication_required']);
  expect(await reauthenticate(PASSWORD)).toEqual([200, 'ok']);
  expect(await regenerate()).toEqual([200, 'ok']);
});

test('asks for a fresh sign-in before requests are exported, and tokens for their scope', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const ada = await join(stage, administrator, 'Ada', 'auditor');
  const body = { format: 'csv' };
  const recorded = async () =>
    (await administrator.call('GET', '/api/history?type=RequestsExported')).body.events.length as number;
  const { body: made } = await ada.call('POST', '/api/tokens', { body: { name: 'ci', role: 'auditor' } });
  const script = withToken(stage, made.token);
  expect(codeOf(await script.call('POST', '/api/request-logs/exports', { body }))).toEqual([403, 'scope_required']);
  expect(codeOf(await ada.call('POST', '/api/request-logs/exports', { body }))).toEqual([200, 'ok']);
  advance(stage, 10 * MINUTE);
  expect(codeOf(await ada.call('POST', '/api/request-logs/exports', { body }))).toEqual([
    401,
    'reauthentication_required',
  ]);
  expect(await recorded()).toBe(1);
  expect(codeOf(await ada.post('reauthenticate', { password: OPERATOR_PASSWORD }))).toEqual([200, 'ok']);
  expect(codeOf(await ada.call('POST', '/api/request-logs/exports', { body }))).toEqual([200, 'ok']);
});

test('asks for a fresh sign-in before the own TOTP is disabled', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  // As before while there is only the built-in administrator.
  await setUpTotp(stage, administrator);
  advance(stage, 10 * MINUTE);
  expect(codeOf(await administrator.post('totp/disable'))).toEqual([200, 'ok']);
  const ada = await join(stage, administrator, 'Ada', 'administrator');
  const { body } = await ada.post('totp/setup/start');
  const confirm = { setupToken: body.setupToken, code: codeAt(body.secret, stage.clock.now) };
  expect((await ada.post('totp/setup/confirm', confirm)).status).toBe(200);
  advance(stage, 10 * MINUTE);
  expect(codeOf(await ada.post('totp/disable'))).toEqual([401, 'reauthentication_required']);
  expect(stage.hot.state.operators.byId.get(ada.id)?.totp).not.toBeNull();
  const proof = { password: OPERATOR_PASSWORD, code: codeAt(body.secret, stage.clock.now) };
  expect(codeOf(await ada.post('reauthenticate', proof))).toEqual([200, 'ok']);
  expect(codeOf(await ada.post('totp/disable'))).toEqual([200, 'ok']);
});

test('ends a session after 60 idle minutes, but not one that is used', async () => {
  const stage = await startManagement();
  const ada = await join(stage, await setUp(stage), 'Ada', 'auditor');
  for (let step = 0; step < 4; step++) {
    advance(stage, 50 * MINUTE);
    expect((await ada.call('GET', '/api/accounts')).status).toBe(200);
  }
  advance(stage, 61 * MINUTE);
  expect((await ada.call('GET', '/api/accounts')).status).toBe(401);
});

test('requires TOTP that an operator has set up, and accepts each recovery code once', async () => {
  const stage = await startManagement();
  const ada = await join(stage, await setUp(stage), 'Ada', 'auditor');
  const { body: started } = await ada.post('totp/setup/start');
  const confirm = { setupToken: started.setupToken, code: codeAt(started.secret, stage.clock.now) };
  const { body: confirmed } = await ada.post('totp/setup/confirm', confirm);
  expect(confirmed.recoveryCodes).toHaveLength(10);
  // The code has proved it: the session goes on.
  expect((await ada.call('GET', '/api/accounts')).status).toBe(200);
  const pending = await signIn(stage, 'Ada');
  expect(codeOf(await pending.call('GET', '/api/accounts'))).toEqual([401, 'totp_required']);
  const verify = async (client: Browser, code: string) => codeOf(await client.post('recovery/verify', { code }));
  const [code] = confirmed.recoveryCodes as [string];
  expect(await verify(pending, 'aaaa-bbbb-cccc-dddd')).toEqual([400, 'totp_invalid_code']);
  expect(await verify(pending, code.toUpperCase().replaceAll('-', ' '))).toEqual([200, 'ok']);
  expect((await pending.call('GET', '/api/accounts')).status).toBe(200);
  expect(await verify(await signIn(stage, 'Ada'), code)).toEqual([400, 'totp_invalid_code']);
  advance(stage, MINUTE);
  const byCode = await signIn(stage, 'Ada');
  const totp = { code: codeAt(started.secret, stage.clock.now) };
  expect((await byCode.post('totp/verify', totp)).status).toBe(200);
  expect(codeOf(await (await signIn(stage, 'Ada')).post('totp/verify', totp))).toEqual([400, 'totp_invalid_code']);
});

test('makes an operator set up TOTP where the setting requires it', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const { body: started } = await administrator.post('totp/setup/start');
  const confirm = { setupToken: started.setupToken, code: codeAt(started.secret, stage.clock.now) };
  await administrator.post('totp/setup/confirm', confirm);
  const settings = { sticky_threads_enabled: true, prefer_earlier_reset_accounts: false };
  await administrator.call('PUT', '/api/settings', { body: { ...settings, totp_required_on_login: true } });
  advance(stage, MINUTE);
  await administrator.post('totp/verify', { code: codeAt(started.secret, stage.clock.now) });
  const ada = await join(stage, administrator, 'Ada', 'auditor');
  expect(codeOf(await ada.call('GET', '/api/accounts'))).toEqual([401, 'totp_required']);
  expect((await ada.call('GET', '/api/dashboard-auth/session')).body.mustSetUpTotp).toBe(true);
  const { body: own } = await ada.post('totp/setup/start');
  const confirmOwn = { setupToken: own.setupToken, code: codeAt(own.secret, stage.clock.now) };
  expect((await ada.post('totp/setup/confirm', confirmOwn)).status).toBe(200);
  expect((await ada.call('GET', '/api/accounts')).status).toBe(200);
});

test('forgets a person: events stay and name them by id only', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const ada = await join(stage, administrator, 'Ada', 'operator');
  await ada.call('POST', '/api/firewall/ips', {
    body: { ip_address: '10.0.0.9' },
    headers: { 'user-agent': 'Adas/1' },
  });
  expect((await administrator.call('POST', `/api/operators/${ada.id}/forget`)).body).toEqual({ status: 'forgotten' });
  const [event] = await history(administrator, `actor=person:${ada.id}&type=IpAllowed`);
  expect(event?.actor).toMatchObject({ operator_id: ada.id, name: null, address: null, user_agent: null });
  const all = JSON.stringify(await history(administrator, 'limit=200'));
  expect(all).not.toMatch(/Ada|ada@example/);
  const { body } = await administrator.call('GET', `/api/operators/${ada.id}?at=${stage.hot.state.position - 4}`);
  expect(body).toMatchObject({ name: null, email: null, status: 'active' });
  expect((await administrator.call('GET', `/api/operators/${ada.id}`)).body.status).toBe('removed');
  expect(stage.vault.currentKeyOf(`operator-${ada.id}`)).toBeUndefined();
});

test('lets administrators end the sessions of others, and everyone else only their own', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const ada = await join(stage, administrator, 'Ada', 'member');
  const own = await signIn(stage, 'Ada');
  const { sessions } = (await administrator.call('GET', '/api/sessions')).body;
  expect(sessions).toHaveLength(3);
  const builtIn = sessions.find((session: { operator: { id: string } }) => session.operator.id === 'administrator');
  const adas = sessions.filter((session: { operator: { id: string } }) => session.operator.id === ada.id);
  expect(adas[0]).toMatchObject({
    operator: { name: 'Ada', role: 'member' },
    method: 'password',
    address: '127.0.0.1',
  });
  expect(codeOf(await ada.call('DELETE', `/api/sessions/${builtIn.session_id}`))).toEqual([404, 'session_not_found']);
  expect((await ada.call('DELETE', '/api/sessions')).body.count).toBe(1);
  expect((await own.call('GET', '/api/models')).status).toBe(401);
  expect((await administrator.call('DELETE', '/api/sessions')).body.count).toBe(1);
  expect((await ada.call('GET', '/api/models')).status).toBe(401);
});

test('refuses a name or address that another operator has, and one that looks the same', async () => {
  const administrator = await setUp(await startManagement());
  await invite(administrator, 'Ada', 'member');
  const post = async (name: string, email: string, fields = {}) =>
    codeOf(await administrator.call('POST', '/api/operators', { body: { name, email, role: 'member', ...fields } }));
  expect(await post('ADA', 'other@example.com')).toEqual([409, 'operator_exists']);
  expect(await post('Bob', 'Ada@Example.com')).toEqual([409, 'operator_exists']);
  expect(await post('ada@example.com', 'bob@example.com')).toEqual([409, 'operator_exists']);
  expect(await post('built\u2011in administrator', 'bob@example.com')).toEqual([409, 'operator_exists']);
  expect(await post('\u0410da', 'bob@example.com')).toEqual([400, 'invalid_operator']);
  expect(await post('Bob', 'ada\u200b@example.com')).toEqual([400, 'invalid_operator']);
  expect(await post('Bob', 'bob@example.com', { status: 'active' })).toEqual([400, 'invalid_operator']);
});

test('invites once for a repeated Idempotency-Key, without the link', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const headers = { 'idempotency-key': 'k1' };
  const body = { name: 'Ada', email: 'ada@example.com', role: 'member' };
  const first = await administrator.call('POST', '/api/operators', { body, headers });
  const second = await administrator.call('POST', '/api/operators', { body, headers });
  expect([second.status, second.body.id, second.body.invitation_url]).toEqual([200, first.body.id, undefined]);
});
