import { expect, test } from 'vitest';
import type { Instant } from '../../src/domain/core/brands.ts';
import { codeAt } from '../support/browser.ts';
import { OPERATOR_PASSWORD } from '../support/operators.ts';
import { openCluster } from './cluster.ts';
import { openPeopleNodes, peopleClient } from './peopleNodes.ts';

// What is set up or used up once, when two nodes get it at once.

const SLOW = { timeout: 120_000 };
const AUTH = '/api/dashboard-auth';

test('sets the first password on one of two nodes that get two at once', SLOW, async () => {
  const cluster = await openCluster();
  const nodes = await Promise.all([cluster.inProcessNode('a'), cluster.inProcessNode('b')]);
  const passwords = ['that of one', 'that of the other'] as const;
  const clients = [peopleClient(), peopleClient()];
  const setUp = await Promise.all(
    nodes.map((node, at) => clients[at]?.(node, 'POST', `${AUTH}/password/setup`, { password: passwords[at] })),
  );
  const statuses = setUp.map((answer) => answer?.status);
  expect([...statuses].sort()).toEqual([200, 409]);
  const winner = statuses.indexOf(200);
  for (const node of nodes) {
    for (const [at, password] of passwords.entries()) {
      const { status } = await peopleClient()(node, 'POST', `${AUTH}/password/login`, { password });
      expect([at, status]).toEqual([at, at === winner ? 200 : 401]);
    }
    // Who lost has no session: management is closed to them.
    expect((await clients[1 - winner]?.(node, 'GET', '/api/accounts'))?.status).toBe(401);
    expect((await clients[winner]?.(node, 'GET', '/api/accounts'))?.status).toBe(200);
  }
});

test('sets TOTP up on one of two nodes that confirm it at once, of whatever secret', SLOW, async () => {
  const { a, b, client, join, untilEqual } = await openPeopleNodes();
  for (const [name, isSameSecret] of [
    ['Ada', true],
    ['Bea', false],
  ] as const) {
    const { call } = await join(name, 'member');
    const other = client();
    await other(a, 'POST', `${AUTH}/login`, { login: name, password: OPERATOR_PASSWORD });
    const one = (await call(a, 'POST', `${AUTH}/totp/setup/start`)).body;
    const two = isSameSecret ? one : (await other(a, 'POST', `${AUTH}/totp/setup/start`)).body;
    await untilEqual();
    const confirm = ({ secret, setupToken }: typeof one) => ({
      setupToken,
      code: codeAt(secret, Date.now() as Instant),
    });
    const both = await Promise.all([
      call(a, 'POST', `${AUTH}/totp/setup/confirm`, confirm(one)),
      (isSameSecret ? call : other)(b, 'POST', `${AUTH}/totp/setup/confirm`, confirm(two)),
    ]);
    expect(both.map(({ status }) => status).sort(), name).toEqual([200, 409]);
    const accepted = both.find(({ status }) => status === 200);
    const secret = both[0]?.status === 200 ? one.secret : two.secret;
    // The secret and the recovery codes that were shown are those that work, on either node.
    await untilEqual();
    for (const [node, path, code] of [
      [a, 'totp/verify', codeAt(secret, (Date.now() + 30_000) as Instant)],
      [b, 'recovery/verify', accepted?.body.recoveryCodes[0]],
    ] as const) {
      const again = client();
      await again(node, 'POST', `${AUTH}/login`, { login: name, password: OPERATOR_PASSWORD });
      expect((await again(node, 'POST', `${AUTH}/${path}`, { code })).status, `${name}: ${path}`).toBe(200);
    }
  }
});

test('accepts a recovery code that two nodes get at once on one of them', SLOW, async () => {
  const { a, b, client, join, untilEqual } = await openPeopleNodes();
  const ada = await join('Ada', 'member');
  const { secret, setupToken } = (await ada.call(a, 'POST', `${AUTH}/totp/setup/start`)).body;
  const confirm = { setupToken, code: codeAt(secret, Date.now() as Instant) };
  const { recoveryCodes } = (await ada.call(a, 'POST', `${AUTH}/totp/setup/confirm`, confirm)).body;
  const [one, other] = [client(), client()];
  for (const [call, node] of [
    [one, a],
    [other, b],
  ] as const) {
    await untilEqual();
    expect((await call(node, 'POST', `${AUTH}/login`, { login: 'Ada', password: OPERATOR_PASSWORD })).status).toBe(200);
  }
  await untilEqual();
  const [code] = recoveryCodes;
  const both = await Promise.all([
    one(a, 'POST', `${AUTH}/recovery/verify`, { code }),
    other(b, 'POST', `${AUTH}/recovery/verify`, { code }),
  ]);
  const [accepted, lost] = both.map(({ status }) => status).sort();
  // 409 from a node that has not read the other's event yet.
  expect([accepted, [400, 409].includes(lost as number)]).toEqual([200, true]);
  const [admitted, refused] = both[0].status === 200 ? [one, other] : [other, one];
  await untilEqual();
  for (const node of [a, b]) {
    expect((await admitted(node, 'GET', '/api/api-keys')).status).toBe(200);
    expect((await refused(node, 'GET', '/api/api-keys')).status).toBe(401);
    expect((await refused(node, 'POST', `${AUTH}/recovery/verify`, { code })).code).toBe('totp_invalid_code');
  }
  // The others are left.
  expect((await refused(b, 'POST', `${AUTH}/recovery/verify`, { code: recoveryCodes[1] })).status).toBe(200);
});

test('a set-up token that one node has confirmed sets nothing up on the other one', SLOW, async () => {
  const { a, b, join, untilEqual } = await openPeopleNodes();
  const ada = await join('Ada', 'member');
  const { secret, setupToken } = (await ada.call(a, 'POST', `${AUTH}/totp/setup/start`)).body;
  const confirm = { setupToken, code: codeAt(secret, Date.now() as Instant) };
  expect((await ada.call(a, 'POST', `${AUTH}/totp/setup/confirm`, confirm)).status).toBe(200);
  await untilEqual();
  expect((await ada.call(b, 'POST', `${AUTH}/totp/disable`)).status).toBe(200);
  await untilEqual();
  const again = await ada.call(b, 'POST', `${AUTH}/totp/setup/confirm`, confirm);
  expect([again.status, again.code]).toEqual([400, 'validation_error']);
});
