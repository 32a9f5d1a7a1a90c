import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SimulatedAccount } from '../../../test/support/provider/account.ts';
import { delayed } from '../../../test/support/provider/scripts.ts';
import { accountId, later, NOW, tokens as someTokens } from '../../../test/support/specification.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { because, HOUR, MINUTE, type Stage, setStage, TOKEN } from '../stage.support.ts';
import { createProactiveRefresh, dueAt } from './proactiveRefresh.ts';

const DAY = 24 * HOUR;
let stage: Stage;
let at: SimulatedAccount;
let id: AccountId;

beforeAll(async () => {
  stage = await setStage();
});
beforeEach(async () => {
  stage.reports.length = 0;
  // Whatever other tests left behind is out of the way.
  for (const other of stage.node.hot.state.accounts.keys()) {
    await stage.node.handle(subjects.account, other, { type: 'DeleteAccount', accountId: other }, because);
  }
  at = stage.provider.addAccount({ accessExpiresInSeconds: 3_600 });
  id = await stage.importAccount(at);
});
afterAll(() => stage.close());

const calls = (account = at) => account.received.filter(({ path }) => path === TOKEN).length;
const proactive = (node = stage.node) => createProactiveRefresh({ hot: node.hot, tokens: node.tokens, now: stage.now });
const due = (accountId = id) => {
  const held = stage.node.hot.state.tokens.get(accountId)?.tokens;
  if (!held) throw new Error('no tokens');
  return dueAt(accountId, held);
};
const advanceTo = (time: number) => stage.advance(time - stage.now());

describe('a token that is about to run out', () => {
  test('is refreshed at its time and not before, while it is still good', async () => {
    const refresh = proactive();
    const before = stage.node.tokens.headersFor(id)?.authorization;
    advanceTo(due() - 1_000);
    await refresh.round();
    expect(calls()).toBe(0);
    advanceTo(due());
    expect(stage.node.tokens.headersFor(id)?.authorization).toBe(before);
    await refresh.round();
    expect(calls()).toBe(1);
    expect(stage.node.tokens.headersFor(id)?.authorization).toBe(`Bearer ${at.tokens.current().accessToken}`);
    await refresh.round();
    expect(calls()).toBe(1);
  });

  test('is refreshed once, however many rounds and nodes meet', async () => {
    const nodes = [stage.node, await stage.startNode(), await stage.startNode()];
    const rounds = nodes.map((node) => proactive(node));
    at.token = { delayMs: 50 };
    advanceTo(due());
    await Promise.all([...rounds, ...rounds].map((refresh) => refresh.round()));
    expect(calls()).toBe(1);
  });

  test('is refreshed while requests go on with it', async () => {
    at.token = { delayMs: 100 };
    advanceTo(due());
    const round = proactive().round();
    await stage.provider.until(() => calls() === 1);
    expect(stage.node.tokens.headersFor(id)).toBeDefined();
    await round;
  });

  test('of a paused account is refreshed as well, of a deactivated one it is not', async () => {
    const other = stage.provider.addAccount({ accessExpiresInSeconds: 3_600 });
    const deactivated = await stage.importAccount(other);
    await stage.node.handle(subjects.account, id, { type: 'PauseAccount', accountId: id }, because);
    const command = { type: 'DeactivateAccount', accountId: deactivated, reason: 'r', code: 'c' } as const;
    await stage.node.handle(subjects.account, deactivated, command, because);
    stage.advance(HOUR);
    await proactive().round();
    expect([calls(), calls(other)]).toEqual([1, 0]);
    expect(stage.node.hot.state.accounts.get(id)?.status).toBe('paused');
  });

  test('of an account that says no for good deactivates it, with the reason', async () => {
    at.revoke();
    advanceTo(due());
    await proactive().round();
    expect(stage.node.hot.state.accounts.get(id)).toMatchObject({
      status: 'deactivated',
      deactivationReason: expect.stringMatching(/^Refresh token was revoked: sign in again/),
    });
  });

  test('leaves the account alone for longer after each failure that may pass, and never deactivates it', async () => {
    at.token = { status: 503 };
    const refresh = proactive();
    const triedAt: number[] = [];
    advanceTo(due());
    for (let minute = 0; minute < 60; minute++) {
      const before = calls();
      await refresh.round();
      if (calls() > before) triedAt.push(minute);
      stage.advance(MINUTE);
    }
    expect(triedAt.length).toBeGreaterThanOrEqual(6);
    expect(triedAt.length).toBeLessThanOrEqual(14);
    expect(stage.node.hot.state.accounts.get(id)?.status).toBe('active');
    at.token = 'rotate';
    stage.advance(HOUR);
    await refresh.round();
    expect(stage.node.tokens.headersFor(id)).toBeDefined();
  });

  test('forty that were signed in together are refreshed over minutes, at most four at a time', async () => {
    const pool = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const account = stage.provider.addAccount({ accessExpiresInSeconds: 36_000 });
        account.token = delayedRotation(account);
        return { account, id: await stage.importAccount(account) };
      }),
    );
    const times = pool.map(({ id: poolId }) => due(poolId));
    const [first, last] = [Math.min(...times), Math.max(...times)];
    expect(last - first).toBeGreaterThan(3 * MINUTE);
    const perMinute = Array.from(
      { length: 6 },
      (_, minute) => times.filter((time) => Math.floor((time - first) / MINUTE) === minute).length,
    );
    expect(Math.max(...perMinute)).toBeLessThan(20);

    advanceTo(last);
    let most = 0;
    const watching = stage.provider.until(() => {
      most = Math.max(most, pool.filter(({ account }) => account.inFlight > 0).length);
      return pool.every(({ account }) => calls(account) === 1);
    });
    await proactive().round();
    await watching;
    expect(most).toBeLessThanOrEqual(4);
  });
});

/** A refresh that takes a moment, so that those that run side by side can be counted. */
const delayedRotation = ({ tokens }: SimulatedAccount) => {
  const { accessToken, refreshToken, idToken } = tokens.current();
  return delayed(10, {
    name: 'slow',
    steps: [
      { head: 200, headers: { 'content-type': 'application/json' } },
      { bytes: JSON.stringify({ access_token: accessToken, refresh_token: refreshToken, id_token: idToken }) },
    ],
  });
};

describe('the time at which a token is due', () => {
  const of = (changes: Partial<ReturnType<typeof someTokens>>, n = 1) =>
    dueAt(accountId(n), { ...someTokens(`tokens ${n}`), refreshedAt: NOW, ...changes });

  test('lies five to ten minutes before its end', () => {
    for (let n = 0; n < 100; n++) {
      const lead = later(10 * DAY) - of({ accessExpiresAt: later(10 * DAY) }, n);
      expect(lead).toBeGreaterThanOrEqual(5 * MINUTE);
      expect(lead).toBeLessThan(10 * MINUTE);
    }
  });

  test('lies in the last quarter of a short life, so that a new token is not due at once', () => {
    expect(of({ accessExpiresAt: later(8 * MINUTE) })).toBe(later(6 * MINUTE));
    expect(of({ accessExpiresAt: NOW })).toBe(NOW);
  });

  test('is its eighth or ninth day when it does not say when it ends', () => {
    for (let n = 0; n < 100; n++) {
      const age = of({ accessExpiresAt: null }, n) - NOW;
      expect(age).toBeGreaterThanOrEqual(8 * DAY);
      expect(age).toBeLessThan(9 * DAY);
    }
  });
});

test('rounds come by themselves, and end with the last refresh', async () => {
  const refresh = createProactiveRefresh({ ...stage.node, now: stage.now, everyMs: 5 });
  refresh.start();
  refresh.start();
  advanceTo(due());
  await stage.provider.until(() => calls() === 1);
  await refresh.stop();
  const after = calls();
  stage.advance(HOUR);
  await refresh.round();
  expect(calls()).toBe(after);
});
