import { createHash, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { newAuthenticator } from '../../../test/support/authenticator.ts';
import { addressOf, browser, setUp } from '../../../test/support/browser.ts';
import { startManagement } from '../../../test/support/management.ts';
import { invite, join, secretOf } from '../../../test/support/operators.ts';
import { MINUTE } from '../../../test/support/specification.ts';
import { advanceClock, allEvents } from './authStage.support.ts';
import {
  begin,
  codeOf,
  messageOf,
  reauthenticateWith,
  register,
  signInWith,
  withPasskey,
} from './passkeyStage.support.ts';

async function stageWithAda(options = {}) {
  const stage = await startManagement({ connection: { remoteAddress: addressOf } });
  const administrator = await setUp(stage);
  const ada = await join(stage, administrator, 'Ada', 'administrator');
  return { stage, administrator, ada, ...(await withPasskey(ada, options)) };
}

const REJECTED = [401, 'passkey_rejected'];
const foreignKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

test('accepts a response once: replays, also at the same time, are refused and recorded', async () => {
  const { stage, authenticator } = await stageWithAda();
  const { sent, response } = await signInWith(stage, authenticator);
  expect(response.status).toBe(200);
  const replay = await browser(stage).post('passkeys/sign-in', sent);
  expect(codeOf(replay)).toEqual([400, 'passkey_challenge_expired']);
  expect(messageOf(replay)).toContain('already used');
  const client = browser(stage);
  const { challengeToken, publicKey } = await begin(client, 'passkeys/sign-in');
  const both = { challengeToken, credential: authenticator.get(publicKey) };
  const statuses = await Promise.all(
    [1, 2, 3].map(async () => (await browser(stage).post('passkeys/sign-in', both)).status),
  );
  expect(statuses.sort()).toEqual([200, 400, 400]);
  const types = (await allEvents(stage)).map(({ type }) => type);
  expect(types.filter((type) => type === 'OperatorSignInFailed')).toHaveLength(3);
});

test('accepts a challenge for 5 minutes, and for its purpose, session and invitation only', async () => {
  const { stage, administrator, ada, authenticator } = await stageWithAda();
  const expired = [400, 'passkey_challenge_expired'];
  const client = browser(stage);
  const signInStart = await begin(client, 'passkeys/sign-in');
  advanceClock(stage, 5 * MINUTE - 1);
  const inTime = { challengeToken: signInStart.challengeToken, credential: authenticator.get(signInStart.publicKey) };
  expect((await client.post('passkeys/sign-in', inTime)).status).toBe(200);
  const late = await begin(client, 'passkeys/sign-in');
  advanceClock(stage, 5 * MINUTE);
  const tooLate = { challengeToken: late.challengeToken, credential: authenticator.get(late.publicKey) };
  expect(codeOf(await client.post('passkeys/sign-in', tooLate))).toEqual(expired);
  expect(codeOf(await client.post('passkeys/sign-in', { ...tooLate, challengeToken: 'AAAA' }))).toEqual(expired);

  // The challenge of a sign-in does not prove again who has a session, and that of another session neither.
  const other = await begin(client, 'passkeys/sign-in');
  const passkey = { challengeToken: other.challengeToken, credential: authenticator.get(other.publicKey) };
  expect(codeOf(await ada.post('reauthenticate', { passkey }))).toEqual(expired);
  const { client: second } = await signInWith(stage, authenticator);
  const ofSecond = await begin(second, 'passkeys/reauthentication');
  const stolen = { challengeToken: ofSecond.challengeToken, credential: authenticator.get(ofSecond.publicKey) };
  expect(codeOf(await ada.post('reauthenticate', { passkey: stolen }))).toEqual(expired);

  const links = [await invite(administrator, 'Bob', 'member'), await invite(administrator, 'Carol', 'member')];
  const [bob = '', carol = ''] = links.map(({ invitation_url }) => secretOf(invitation_url));
  const ofBob = await begin(client, 'invitation/passkey', { token: bob });
  const credential = newAuthenticator().create(ofBob.publicKey);
  const accept = { token: carol, passkey: { challengeToken: ofBob.challengeToken, credential, name: 'Phone' } };
  expect(codeOf(await client.post('invitation/accept', accept))).toEqual(expired);
});

test('accepts a registration once, also after its passkey was removed', async () => {
  const { ada } = await stageWithAda();
  const { challengeToken, publicKey } = await begin(ada, 'passkeys/registration');
  const sent = { challengeToken, credential: newAuthenticator().create(publicKey), name: 'Key' };
  const { body } = await ada.post('passkeys', sent);
  await ada.call('DELETE', `/api/dashboard-auth/passkeys/${body.id}`);
  expect(codeOf(await ada.post('passkeys', sent))).toEqual([400, 'passkey_challenge_expired']);
});

test('registers an authenticator once, for the first operator', async () => {
  const { stage, administrator, ada, authenticator } = await stageWithAda();
  expect(codeOf(await register(ada, authenticator))).toEqual([409, 'passkey_exists']);
  const bob = await join(stage, administrator, 'Bob', 'member');
  expect(codeOf(await register(bob, authenticator))).toEqual([409, 'passkey_exists']);
});

test('refuses an unknown passkey, and that of another operator as a proof of who one is', async () => {
  const { stage, administrator, authenticator } = await stageWithAda();
  const unknown = newAuthenticator();
  const { response } = await signInWith(stage, unknown);
  expect(codeOf(response)).toEqual(REJECTED);
  expect(messageOf(response)).toContain('is not registered here, or no longer');
  const bob = await join(stage, administrator, 'Bob', 'member');
  await withPasskey(bob);
  const asBob = await reauthenticateWith(bob, authenticator);
  expect([codeOf(asBob), messageOf(asBob)]).toEqual([REJECTED, messageOf(response)]);
  const failed = (await allEvents(stage)).filter(({ type }) => /SignInFailed$/.test(type));
  expect(failed.map(({ type, data }) => [type, (data as { operatorId?: string }).operatorId])).toEqual([
    ['SignInFailed', undefined],
    ['OperatorSignInFailed', bob.id],
  ]);
});

test('refuses a counter that does not count on, records it, and goes on with the authenticator that does', async () => {
  const { stage, ada, authenticator } = await stageWithAda({ counts: true });
  expect((await signInWith(stage, authenticator)).response.status).toBe(200);
  const { response } = await signInWith(stage, authenticator, { counter: 2 });
  expect(codeOf(response)).toEqual([401, 'passkey_counter_regressed']);
  expect(messageOf(response)).toMatch(/went back from 2 to 2: a copy of it may exist/);
  const regressed = (await allEvents(stage)).filter(({ type }) => type === 'PasskeyCounterRegressed');
  expect(regressed.map(({ data }) => data)).toMatchObject([{ operatorId: ada.id, counter: 2, lastCounter: 2 }]);
  expect(regressed[0]?.metadata.actor).toMatchObject({ operatorId: 'unknown' });
  const { passkeys } = (await ada.call('GET', '/api/dashboard-auth/passkeys')).body;
  expect(passkeys).toMatchObject([{ counterRegressedAt: expect.any(String) }]);
  expect((await signInWith(stage, authenticator)).response.status).toBe(200);
  expect(codeOf(await reauthenticateWith(ada, authenticator, { counter: 3 }))).toEqual([
    401,
    'passkey_counter_regressed',
  ]);
});

test('throttles failures of one address, and of one operator from many addresses', async () => {
  const { stage, authenticator } = await stageWithAda();
  const wrong = { privateKey: foreignKey };
  const attempt = async (address: string, with_ = authenticator) =>
    (await signInWith(stage, with_, wrong, address)).response.status;
  const ofOne = [];
  for (let n = 0; n < 9; n++) ofOne.push(await attempt('203.0.113.1', newAuthenticator()));
  expect(ofOne).toEqual([...Array(8).fill(401), 429]);
  const ofMany = [];
  for (let n = 10; n < 22; n++) ofMany.push(await attempt(`203.0.113.${n}`));
  expect(ofMany).toEqual([...Array(10).fill(401), 429, 429]);
  advanceClock(stage, MINUTE);
  expect((await signInWith(stage, authenticator, {}, '203.0.113.1')).response.status).toBe(200);
});

test('gives strangers neither names nor credential ids', async () => {
  const { stage, authenticator } = await stageWithAda();
  const { text } = await browser(stage).post('passkeys/sign-in/start');
  expect(text).not.toContain(authenticator.credentialId);
  expect(text).not.toContain('allowCredentials');
  // A fingerprint that the log has is keyed: a credential id cannot be looked up in it.
  const plain = createHash('sha256').update(authenticator.credentialId).digest('hex');
  expect(JSON.stringify(await allEvents(stage))).not.toContain(plain);
});
