import { expect, test } from 'vitest';
import { newAuthenticator } from '../../../test/support/authenticator.ts';
import { browser, codeAt, requireTotp, settings, setUp } from '../../../test/support/browser.ts';
import { startManagement } from '../../../test/support/management.ts';
import { invite, join, OPERATOR_PASSWORD, secretOf, signIn, withToken } from '../../../test/support/operators.ts';
import { MINUTE } from '../../../test/support/specification.ts';
import { advanceClock, allEvents } from './authStage.support.ts';
import { begin, codeOf, reauthenticateWith, register, signInWith, withPasskey } from './passkeyStage.support.ts';

async function stageWithAda() {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const ada = await join(stage, administrator, 'Ada', 'administrator');
  return { stage, administrator, ada };
}

test.each(['ES256', 'EdDSA', 'RS256'] as const)(
  'signs in without a name by a passkey that signs with %s',
  async (algorithm) => {
    const { stage, ada } = await stageWithAda();
    const { authenticator } = await withPasskey(ada, { algorithm });
    const { client, response } = await signInWith(stage, authenticator);
    expect(response.body).toMatchObject({
      isPasswordVerified: true,
      operator: { id: ada.id, name: 'Ada', role: 'administrator' },
    });
    expect((await client.call('GET', '/api/accounts')).status).toBe(200);
  },
);

test('asks browsers for a discoverable credential that verifies its user, for the host of SVC_PUBLIC_URL', async () => {
  const { ada } = await stageWithAda();
  const { authenticator } = await withPasskey(ada);
  const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
  const path = '/api/dashboard-auth/passkeys/registration/start';
  const { body } = await ada.call('POST', path, { headers });
  expect(body.publicKey).toMatchObject({
    rp: { id: 'svc.example', name: 'svc' },
    user: { id: Buffer.from(ada.id).toString('base64url'), name: 'ada@example.com', displayName: 'Ada' },
    excludeCredentials: [{ id: authenticator.credentialId, type: 'public-key', transports: ['hybrid', 'internal'] }],
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  });
  const start = await ada.call('POST', '/api/dashboard-auth/passkeys/sign-in/start', { headers });
  expect(start.body.publicKey).toEqual({
    rpId: 'svc.example',
    challenge: expect.stringMatching(/^[\w-]{43}$/),
    timeout: 300_000,
    userVerification: 'required',
  });
});

test('lists own passkeys with their last use, renames and removes them, now and at an earlier moment', async () => {
  const { stage, ada } = await stageWithAda();
  const first = await withPasskey(ada);
  const second = await withPasskey(ada);
  const list = async (query = '') => (await ada.call('GET', `/api/dashboard-auth/passkeys${query}`)).body.passkeys;
  const before = stage.hot.state.position;
  advanceClock(stage, MINUTE);
  await signInWith(stage, first.authenticator);
  const path = `/api/dashboard-auth/passkeys/${first.passkeyId}`;
  expect((await ada.call('PATCH', path, { body: { name: ' Work laptop ' } })).body.name).toBe('Work laptop');
  expect(codeOf(await ada.call('PATCH', path, { body: { name: 'a\u0000b' } }))).toEqual([400, 'validation_error']);
  const [laptop, phone] = await list();
  expect(laptop).toMatchObject({ id: first.passkeyId, name: 'Work laptop', lastUsedAt: expect.any(String) });
  expect(Date.parse(laptop.lastUsedAt) - Date.parse(laptop.addedAt)).toBe(MINUTE);
  expect(phone).toMatchObject({ id: second.passkeyId, name: 'Phone', lastUsedAt: null, counterRegressedAt: null });
  expect((await ada.call('DELETE', path)).status).toBe(200);
  expect((await list()).map(({ id }: { id: string }) => id)).toEqual([second.passkeyId]);
  expect(
    (await list(`?at=${before}`)).map(({ name, lastUsedAt }: { name: string; lastUsedAt: null }) => [name, lastUsedAt]),
  ).toEqual([
    ['Phone', null],
    ['Phone', null],
  ]);
});

test('counts as both factors: TOTP is neither asked for nor demanded', async () => {
  const { stage, administrator, ada } = await stageWithAda();
  const { authenticator } = await withPasskey(ada);
  await requireTotp(stage, administrator);
  // Her password alone is no longer enough, and a set-up of TOTP is demanded.
  expect((await (await signIn(stage, 'Ada')).call('GET', '/api/accounts')).body.error.code).toBe('totp_required');
  const { client, response } = await signInWith(stage, authenticator);
  expect(response.body).toMatchObject({ isTotpRequiredOnLogin: false });
  expect(response.body.mustSetUpTotp).toBeUndefined();
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
});

test('asks for TOTP again with the password after a sign-in by passkey set TOTP up', async () => {
  const { stage, ada } = await stageWithAda();
  const { authenticator } = await withPasskey(ada);
  const { client } = await signInWith(stage, authenticator);
  const { secret, setupToken } = (await client.post('totp/setup/start')).body;
  const confirm = { setupToken, code: codeAt(secret, stage.clock.now) };
  expect((await client.post('totp/setup/confirm', confirm)).status).toBe(200);
  expect((await (await signIn(stage, 'Ada')).call('GET', '/api/accounts')).body.error.code).toBe('totp_required');
  const again = await signInWith(stage, authenticator);
  expect((await again.client.call('GET', '/api/accounts')).status).toBe(200);
});

test('accepts an invitation with a passkey, and lets that person never lock themselves out', async () => {
  const { stage, administrator } = await stageWithAda();
  const { id, invitation_url } = await invite(administrator, 'Bob', 'member');
  const token = secretOf(invitation_url);
  const bob = browser(stage);
  const authenticator = newAuthenticator();
  const { challengeToken, publicKey } = await begin(bob, 'invitation/passkey', { token });
  const passkey = { challengeToken, credential: authenticator.create(publicKey), name: 'Phone' };
  const { body } = await bob.post('invitation/accept', { token, passkey });
  expect(body).toMatchObject({ operator: { id, name: 'Bob', role: 'member' } });
  expect((await bob.call('GET', '/api/api-keys')).status).toBe(200);
  expect(codeOf(await browser(stage).post('invitation/accept', { token, passkey }))).toEqual([
    400,
    'invalid_invitation',
  ]);
  expect(codeOf(await browser(stage).post('login', { login: 'Bob', password: OPERATOR_PASSWORD }))[0]).toBe(401);
  const [own] = (await bob.call('GET', '/api/dashboard-auth/passkeys')).body.passkeys;
  const path = `/api/dashboard-auth/passkeys/${own.id}`;
  expect(codeOf(await bob.call('DELETE', path))).toEqual([409, 'last_sign_in_method']);
  await withPasskey(bob);
  expect((await bob.call('DELETE', path)).status).toBe(200);
});

test('needs exactly one of password and passkey, to accept an invitation and to prove again who one is', async () => {
  const { stage, administrator, ada } = await stageWithAda();
  const { authenticator } = await withPasskey(ada);
  const { invitation_url } = await invite(administrator, 'Bob', 'member');
  const token = secretOf(invitation_url);
  const { challengeToken, publicKey } = await begin(ada, 'passkeys/reauthentication');
  const passkey = { challengeToken, credential: authenticator.get(publicKey) };
  expect(codeOf(await browser(stage).post('invitation/accept', { token }))).toEqual([400, 'validation_error']);
  expect(codeOf(await ada.post('reauthenticate', {}))).toEqual([400, 'validation_error']);
  expect(codeOf(await ada.post('reauthenticate', { passkey, password: OPERATOR_PASSWORD }))).toEqual([
    400,
    'validation_error',
  ]);
  expect(codeOf(await ada.post('reauthenticate', { passkey }))).toEqual([200, 'ok']);
});

test('needs a fresh sign-in to add and remove passkeys, which a passkey makes fresh', async () => {
  const { stage, ada } = await stageWithAda();
  const { authenticator, passkeyId } = await withPasskey(ada);
  const { challengeToken, publicKey } = await begin(ada, 'passkeys/registration');
  advanceClock(stage, 10 * MINUTE);
  const stale = [401, 'reauthentication_required'];
  expect(codeOf(await ada.post('passkeys/registration/start'))).toEqual(stale);
  expect(codeOf(await ada.call('DELETE', `/api/dashboard-auth/passkeys/${passkeyId}`))).toEqual(stale);
  stage.clock.now = (stage.clock.now - 6 * MINUTE) as never;
  expect(codeOf(await reauthenticateWith(ada, authenticator))).toEqual([200, 'ok']);
  advanceClock(stage, 9 * MINUTE);
  // Of a challenge that was made while the sign-in was fresh, but has expired.
  const credential = newAuthenticator().create(publicKey);
  expect(codeOf(await ada.post('passkeys', { challengeToken, credential, name: 'Key' }))).toEqual([
    400,
    'passkey_challenge_expired',
  ]);
  expect((await register(ada, newAuthenticator())).status).toBe(200);
  expect((await ada.call('DELETE', `/api/dashboard-auth/passkeys/${passkeyId}`)).status).toBe(200);
});

test('names the passkey as the way of signing in, in sessions and in everything that is done there', async () => {
  const { stage, administrator, ada } = await stageWithAda();
  const { authenticator } = await withPasskey(ada);
  const { client } = await signInWith(stage, authenticator);
  await client.call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.9' } });
  const events = async (query: string) => (await administrator.call('GET', `/api/history?${query}`)).body.events;
  const [allowed] = await events(`actor=person:${ada.id}&type=IpAllowed`);
  expect(allowed.actor).toMatchObject({ operator_id: ada.id, name: 'Ada', method: 'passkey', used_totp: false });
  const [used] = await events(`subject=operator-${ada.id}&type=PasskeyUsed`);
  expect(used).toMatchObject({
    sentence: `operator ${ada.id} signed in with a passkey`,
    actor: { operator_id: ada.id, method: 'passkey' },
  });
  const { sessions } = (await administrator.call('GET', '/api/sessions')).body;
  expect(sessions.map(({ method }: { method: string }) => method).sort()).toEqual(['passkey', 'password', 'password']);
});

test('ends sessions with their passkey, their operator and a disabled operator, from the next request on', async () => {
  const { stage, administrator, ada } = await stageWithAda();
  const statusOf = async ({ client }: Awaited<ReturnType<typeof signInWith>>) =>
    (await client.call('GET', '/api/accounts')).status;
  const first = await withPasskey(ada);
  const second = await withPasskey(ada);
  const [one, two] = [await signInWith(stage, first.authenticator), await signInWith(stage, second.authenticator)];
  expect([await statusOf(one), await statusOf(two)]).toEqual([200, 200]);
  await ada.call('DELETE', `/api/dashboard-auth/passkeys/${first.passkeyId}`);
  expect([await statusOf(one), await statusOf(two)]).toEqual([401, 200]);
  await administrator.call('PATCH', `/api/operators/${ada.id}`, { body: { is_active: false } });
  expect(await statusOf(two)).toBe(401);
  expect(codeOf((await signInWith(stage, second.authenticator)).response)).toEqual([401, 'passkey_rejected']);
  await administrator.call('PATCH', `/api/operators/${ada.id}`, { body: { is_active: true } });
  expect(await statusOf(two)).toBe(401);
  const again = await signInWith(stage, second.authenticator);
  expect(await statusOf(again)).toBe(200);
  await administrator.call('DELETE', `/api/operators/${ada.id}`);
  expect(await statusOf(again)).toBe(401);
  expect(codeOf((await signInWith(stage, second.authenticator)).response)).toEqual([401, 'passkey_rejected']);
});

test('lets administrators see and remove passkeys of others, also the last one, and no other role', async () => {
  const { stage, administrator, ada } = await stageWithAda();
  const bob = await join(stage, administrator, 'Bob', 'operator');
  const { passkeyId } = await withPasskey(ada);
  const path = `/api/operators/${ada.id}/passkeys/${passkeyId}`;
  expect(codeOf(await bob.call('DELETE', path))).toEqual([403, 'insufficient_permissions']);
  // By its id alone, a passkey of another operator does not exist.
  expect(codeOf(await bob.call('DELETE', `/api/dashboard-auth/passkeys/${passkeyId}`))).toEqual([
    404,
    'passkey_not_found',
  ]);
  const { body } = await administrator.call('GET', `/api/operators/${ada.id}`);
  expect(body.passkeys).toMatchObject([{ id: passkeyId, name: 'Phone', last_used_at: null }]);
  const before = stage.hot.state.position;
  expect((await administrator.call('DELETE', path)).body.passkeys).toEqual([]);
  expect(codeOf(await administrator.call('DELETE', path))).toEqual([404, 'passkey_not_found']);
  expect((await administrator.call('GET', `/api/operators/${ada.id}?at=${before}`)).body.passkeys).toHaveLength(1);
});

test('forgets credential, key and name with the person, while the events stay', async () => {
  const { stage, administrator, ada } = await stageWithAda();
  const { authenticator } = await withPasskey(ada);
  const added = (await allEvents(stage)).find(({ type }) => type === 'OperatorPasskeyAdded')?.data as Record<
    string,
    never
  >;
  expect([stage.vault.open(added.name as never), stage.vault.open(added.credentialId as never)]).toEqual([
    'Phone',
    authenticator.credentialId,
  ]);
  expect(JSON.stringify(await allEvents(stage))).not.toContain(authenticator.credentialId);
  await administrator.call('POST', `/api/operators/${ada.id}/forget`);
  for (const field of ['name', 'credentialId', 'publicKey']) {
    expect(() => stage.vault.open(added[field] as never)).toThrow();
  }
  const { text } = await administrator.call('GET', `/api/history?subject=operator-${ada.id}&limit=200`);
  expect(text).toContain('a passkey of operator');
  expect(text).not.toContain(added.credentialDigest);
});

test('has no passkeys for the built-in administrator and for tokens, and says what to do', async () => {
  const { stage, administrator } = await stageWithAda();
  const response = await administrator.post('passkeys/registration/start');
  expect([...codeOf(response), response.body.error.message]).toEqual([
    409,
    'passkeys_unavailable',
    'The built-in administrator has no passkeys: invite yourself as an operator',
  ]);
  expect((await administrator.call('GET', '/api/dashboard-auth/passkeys')).body).toEqual({ passkeys: [] });
  const { token } = (await administrator.call('POST', '/api/tokens', { body: { name: 'ci', role: 'administrator' } }))
    .body;
  const path = '/api/dashboard-auth/passkeys/registration/start';
  expect(codeOf(await withToken(stage, token).call('POST', path))).toEqual([401, 'authentication_required']);
  expect(codeOf(await browser(stage).call('POST', path))).toEqual([401, 'authentication_required']);
});

test('signs in with a name as well, if the passkey is of that person', async () => {
  const { stage, administrator, ada } = await stageWithAda();
  await join(stage, administrator, 'Bob', 'member');
  const { authenticator } = await withPasskey(ada);
  const attempt = async (login: string) => {
    const client = browser(stage);
    const { challengeToken, publicKey } = await begin(client, 'passkeys/sign-in');
    return client.post('passkeys/sign-in', { challengeToken, credential: authenticator.get(publicKey), login });
  };
  expect((await attempt('ADA@example.com')).body.operator.id).toBe(ada.id);
  const [other, unknown] = [await attempt('Bob'), await attempt('Nobody')];
  expect(codeOf(other)).toEqual([401, 'passkey_rejected']);
  expect(unknown.text).toBe(other.text);
});

test('answers as before while there is only the built-in administrator', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  await administrator.call('PUT', '/api/settings', { body: settings });
  const { body } = await administrator.call('GET', '/api/dashboard-auth/session');
  expect(Object.keys(body).sort()).toEqual([
    'isPasswordConfigured',
    'isPasswordVerified',
    'isTotpConfigured',
    'isTotpRequiredOnLogin',
    'isTotpVerified',
  ]);
});
