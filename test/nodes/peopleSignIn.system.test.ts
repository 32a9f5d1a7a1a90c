import { expect, test, vi } from 'vitest';
import type { Instant } from '../../src/domain/core/brands.ts';
import { newAuthenticator } from '../support/authenticator.ts';
import { codeAt } from '../support/browser.ts';
import { OPERATOR_PASSWORD } from '../support/operators.ts';
import type { ClusterNode } from './cluster.ts';
import { openPeopleNodes, soon } from './peopleNodes.ts';

const SLOW = { timeout: 120_000 };
const AUTH = '/api/dashboard-auth';

test('signs in on one node with a passkey of another one, each response once on all of them', SLOW, async () => {
  const { a, b, client, join, untilEqual } = await openPeopleNodes({ SVC_PUBLIC_URL: 'https://svc.example' });
  const ada = await join('Ada', 'member');
  const authenticator = newAuthenticator({ counts: true });
  const start = await ada.call(a, 'POST', `${AUTH}/passkeys/registration/start`);
  const credential = authenticator.create(start.body.publicKey);
  const passkey = { challengeToken: start.body.challengeToken, credential, name: 'Phone' };
  // What one node has asked is answered to the other.
  await untilEqual();
  expect((await ada.call(b, 'POST', `${AUTH}/passkeys`, passkey)).status).toBe(200);
  await untilEqual();

  const answer = async (node: ClusterNode, changes = {}) => {
    const { body } = await client()(node, 'POST', `${AUTH}/passkeys/sign-in/start`);
    return { challengeToken: body.challengeToken, credential: authenticator.get(body.publicKey, changes) };
  };
  const signIn = async (node: ClusterNode, sent: unknown) => {
    const call = client();
    const { status, body, code } = await call(node, 'POST', `${AUTH}/passkeys/sign-in`, sent);
    return { call, status, code, name: body.operator?.name };
  };
  const sent = await answer(a);
  const first = await signIn(b, sent);
  expect(first).toMatchObject({ status: 200, name: 'Ada' });
  expect((await first.call(b, 'GET', '/api/api-keys')).status).toBe(200);
  for (const node of [a, b]) {
    expect(await signIn(node, sent)).toMatchObject({ status: 400, code: 'passkey_challenge_expired' });
  }
  // The same response to both nodes in one instant.
  for (let round = 0; round < 5; round++) {
    const both = await answer(round % 2 === 0 ? a : b);
    const results = await Promise.all([a, b].map((node) => signIn(node, both)));
    const [accepted, refused] = results.map(({ status }) => status).sort();
    // 409 from a node that has not read the other's event yet.
    expect([accepted, [400, 409].includes(refused as number)], `round ${round}`).toEqual([200, true]);
  }
  // The counter of what the other node has accepted counts.
  const copied = await signIn(a, await answer(b, { counter: 1 }));
  expect(copied).toMatchObject({ status: 401, code: 'passkey_counter_regressed' });
  expect(await signIn(b, await answer(a))).toMatchObject({ status: 200 });
});

test('refuses a TOTP code on one node once it has read that the other one accepted it', SLOW, async () => {
  const { a, b, client, join, untilEqual } = await openPeopleNodes();
  const ada = await join('Ada', 'member');
  const { secret, setupToken } = (await ada.call(a, 'POST', `${AUTH}/totp/setup/start`)).body;
  const now = Date.now();
  const confirmed = codeAt(secret, now as Instant);
  expect((await ada.call(a, 'POST', `${AUTH}/totp/setup/confirm`, { setupToken, code: confirmed })).status).toBe(200);
  await untilEqual();
  // That of the next step, which is accepted already: the current one is used.
  const code = codeAt(secret, (now + 30_000) as Instant);
  const begin = async (node: ClusterNode) => {
    const call = client();
    const login = { login: 'Ada', password: OPERATOR_PASSWORD };
    expect((await call(node, 'POST', `${AUTH}/login`, login)).status).toBe(200);
    return call;
  };
  const [one, other] = [await begin(a), await begin(b)];
  expect((await one(a, 'POST', `${AUTH}/totp/verify`, { code })).status).toBe(200);
  await vi.waitUntil(async () => (await one(b, 'GET', '/api/api-keys')).status === 200, soon);
  const replayed = await other(b, 'POST', `${AUTH}/totp/verify`, { code });
  expect([replayed.status, replayed.code]).toEqual([400, 'totp_invalid_code']);
});

test('accepts a TOTP code that two nodes get at once on one of them, whatever it is for', SLOW, async () => {
  const { a, b, client, join, untilEqual } = await openPeopleNodes();
  const outcomes: string[] = [];
  for (const [name, second] of [
    ['Ada', 'verify'],
    ['Bea', 'verify'],
    ['Eve', 'reauthenticate'],
  ] as const) {
    const ada = await join(name, 'member');
    const { secret, setupToken } = (await ada.call(a, 'POST', `${AUTH}/totp/setup/start`)).body;
    const confirm = { setupToken, code: codeAt(secret, Date.now() as Instant) };
    expect((await ada.call(a, 'POST', `${AUTH}/totp/setup/confirm`, confirm)).status).toBe(200);
    const other = client();
    expect((await other(a, 'POST', `${AUTH}/login`, { login: name, password: OPERATOR_PASSWORD })).status).toBe(200);
    await untilEqual();
    const code = codeAt(secret, (Date.now() + 30_000) as Instant);
    const both = await Promise.all([
      other(a, 'POST', `${AUTH}/totp/verify`, { code }),
      second === 'verify'
        ? other(b, 'POST', `${AUTH}/totp/verify`, { code })
        : ada.call(b, 'POST', `${AUTH}/reauthenticate`, { password: OPERATOR_PASSWORD, code }),
    ]);
    outcomes.push(both.map(({ status, code: refusal }) => `${status} ${refusal ?? ''}`.trim()).join(', '));
    expect(
      both.filter(({ status }) => status === 200),
      outcomes.join('; '),
    ).toHaveLength(1);
    // What the other one was refused with: the code was used, its node has not yet read by whom, or has read it before it got the
    // request, so that the session has a new id.
    expect(['totp_invalid_code', 'conflict', 'authentication_required']).toContain(
      both.find(({ status }) => status !== 200)?.code,
    );
  }
});

test('refuses a TOTP code on one node that was part of authenticating again on the other one', SLOW, async () => {
  const { a, b, client, join, untilEqual } = await openPeopleNodes();
  const ada = await join('Ada', 'member');
  const { secret, setupToken } = (await ada.call(a, 'POST', `${AUTH}/totp/setup/start`)).body;
  const confirm = { setupToken, code: codeAt(secret, Date.now() as Instant) };
  expect((await ada.call(a, 'POST', `${AUTH}/totp/setup/confirm`, confirm)).status).toBe(200);
  const code = codeAt(secret, (Date.now() + 30_000) as Instant);
  const again = await ada.call(a, 'POST', `${AUTH}/reauthenticate`, { password: OPERATOR_PASSWORD, code });
  expect(again.status).toBe(200);
  await untilEqual();
  const other = client();
  expect((await other(b, 'POST', `${AUTH}/login`, { login: 'Ada', password: OPERATOR_PASSWORD })).status).toBe(200);
  const replayed = await other(b, 'POST', `${AUTH}/totp/verify`, { code });
  expect([replayed.status, replayed.code]).toEqual([400, 'totp_invalid_code']);
});
