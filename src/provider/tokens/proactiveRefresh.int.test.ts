import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SimulatedAccount } from '../../../test/support/provider/account.ts';
import { delayed } from '../../../test/support/provider/scripts.ts';
import { accountId, later, NOW, tokens as someTokens } from '../../../test/support/specification.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { because, HOUR, MINUTE, type ProviderFixture, startFixture, TOKEN } from '../providerFixture.support.ts';
import { createProactiveRefresh, dueAt } from './proactiveRefresh.ts';

const DAY = 24 * HOUR;
let fixture: ProviderFixture;
let at: SimulatedAccount;
let id: AccountId;

beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(async () => {
  fixture.reports.length = 0;
  // Removes the accounts of other tests.
  for (const other of fixture.node.hot.state.accounts.keys()) {
    await fixture.node.handle(subjects.account, other, { type: 'DeleteAccount', accountId: other }, because);
  }
  at = fixture.provider.addAccount({ accessExpiresInSeconds: 3_600 });
  id = await fixture.importAccount(at);
});
afterAll(() => fixture.close());

const calls = (account = at) => account.received.filter(({ path }) => path === TOKEN).length;
const proactive = (node = fixture.node) =>
  createProactiveRefresh({ hot: node.hot, tokens: node.tokens, now: fixture.now });
const due = (accountId = id) => {
  const current = fixture.node.hot.state.tokens.get(accountId)?.tokens;
  if (!current) throw new Error('no tokens');
  return dueAt(accountId, current);
};
const advanceTo = (time: number) => fixture.advance(time - fixture.now());

describe('a token that is about to expire', () => {
  test('is refreshed when it is due and not before, while still valid', async () => {
    const refresh = proactive();
    const before = fixture.node.tokens.headersFor(id)?.authorization;
    advanceTo(due() - 1_000);
    await refresh.round();
    expect(calls()).toBe(0);
    advanceTo(due());
    expect(fixture.node.tokens.headersFor(id)?.authorization).toBe(before);
    await refresh.round();
    expect(calls()).toBe(1);
    expect(fixture.node.tokens.headersFor(id)?.authorization).toBe(`Bearer ${at.tokens.current().accessToken}`);
    await refresh.round();
    expect(calls()).toBe(1);
  });

  test('is refreshed once by concurrent rounds and nodes', async () => {
    const nodes = [fixture.node, await fixture.startNode(), await fixture.startNode()];
    const rounds = nodes.map((node) => proactive(node));
    at.token = { delayMs: 50 };
    advanceTo(due());
    await Promise.all([...rounds, ...rounds].map((refresh) => refresh.round()));
    expect(calls()).toBe(1);
  });

  test('is refreshed while requests still use it', async () => {
    at.token = { delayMs: 100 };
    advanceTo(due());
    const round = proactive().round();
    await fixture.provider.until(() => calls() === 1);
    expect(fixture.node.tokens.headersFor(id)).toBeDefined();
    await round;
  });

  test('is refreshed for a paused account but not for a deactivated one', async () => {
    const other = fixture.provider.addAccount({ accessExpiresInSeconds: 3_600 });
    const deactivated = await fixture.importAccount(other);
    await fixture.node.handle(subjects.account, id, { type: 'PauseAccount', accountId: id }, because);
    const command = { type: 'DeactivateAccount', accountId: deactivated, reason: 'r', code: 'c' } as const;
    await fixture.node.handle(subjects.account, deactivated, command, because);
    fixture.advance(HOUR);
    await proactive().round();
    expect([calls(), calls(other)]).toEqual([1, 0]);
    expect(fixture.node.hot.state.accounts.get(id)?.status).toBe('paused');
  });

  test('deactivates the account with a reason when the refresh fails permanently', async () => {
    at.revoke();
    advanceTo(due());
    await proactive().round();
    expect(fixture.node.hot.state.accounts.get(id)).toMatchObject({
      status: 'deactivated',
      deactivationReason: expect.stringMatching(/^The refresh token was revoked: sign in again/),
    });
  });

  test('backs off after each transient failure and never deactivates the account', async () => {
    at.token = { status: 503 };
    const refresh = proactive();
    const triedAt: number[] = [];
    advanceTo(due());
    for (let minute = 0; minute < 60; minute++) {
      const before = calls();
      await refresh.round();
      if (calls() > before) triedAt.push(minute);
      fixture.advance(MINUTE);
    }
    expect(triedAt.length).toBeGreaterThanOrEqual(6);
    expect(triedAt.length).toBeLessThanOrEqual(14);
    expect(fixture.node.hot.state.accounts.get(id)?.status).toBe('active');
    at.token = 'rotate';
    fixture.advance(HOUR);
    await refresh.round();
    expect(fixture.node.tokens.headersFor(id)).toBeDefined();
  });

  test('is spread over minutes among forty accounts, at most four at a time', async () => {
    const pool = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const account = fixture.provider.addAccount({ accessExpiresInSeconds: 36_000 });
        account.token = delayedRotation(account);
        return { account, id: await fixture.importAccount(account) };
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
    let maxInFlight = 0;
    const watching = fixture.provider.until(() => {
      maxInFlight = Math.max(maxInFlight, pool.filter(({ account }) => account.inFlight > 0).length);
      return pool.every(({ account }) => calls(account) === 1);
    });
    await proactive().round();
    await watching;
    expect(maxInFlight).toBeLessThanOrEqual(4);
  });
});

/** Slow enough to count refreshes that run in parallel. */
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

describe('the due time of a token', () => {
  const of = (changes: Partial<ReturnType<typeof someTokens>>, n = 1) =>
    dueAt(accountId(n), { ...someTokens(`tokens ${n}`), refreshedAt: NOW, ...changes });

  test('is five to ten minutes before its expiry', () => {
    for (let n = 0; n < 100; n++) {
      const lead = later(10 * DAY) - of({ accessExpiresAt: later(10 * DAY) }, n);
      expect(lead).toBeGreaterThanOrEqual(5 * MINUTE);
      expect(lead).toBeLessThan(10 * MINUTE);
    }
  });

  test('is in the last quarter of a short lifetime', () => {
    expect(of({ accessExpiresAt: later(8 * MINUTE) })).toBe(later(6 * MINUTE));
    expect(of({ accessExpiresAt: NOW })).toBe(NOW);
  });

  test('is between eight and nine days of age without an expiry', () => {
    for (let n = 0; n < 100; n++) {
      const age = of({ accessExpiresAt: null }, n) - NOW;
      expect(age).toBeGreaterThanOrEqual(8 * DAY);
      expect(age).toBeLessThan(9 * DAY);
    }
  });
});

test('starts rounds at an interval until it is stopped', async () => {
  const refresh = createProactiveRefresh({ ...fixture.node, now: fixture.now, everyMs: 5 });
  refresh.start();
  refresh.start();
  advanceTo(due());
  await fixture.provider.until(() => calls() === 1);
  await refresh.stop();
  const after = calls();
  fixture.advance(HOUR);
  await refresh.round();
  expect(calls()).toBe(after);
});
