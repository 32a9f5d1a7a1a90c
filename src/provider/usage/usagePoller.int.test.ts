import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SimulatedAccount } from '../../../test/support/provider/account.ts';
import {
  connectionReset,
  delayed,
  delayedUntil,
  fullResponse,
  json,
  usageWindow,
} from '../../../test/support/provider/scripts.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import { monthOf, subjects } from '../../state/fold/subjects.ts';
import { because, HOUR, MINUTE, type ProviderFixture, startFixture, TOKEN, USAGE } from '../providerFixture.support.ts';
import type { UsagePoller } from './usagePoller.ts';

let fixture: ProviderFixture;
let at: SimulatedAccount;
let id: AccountId;
let poller: UsagePoller;

beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(async () => {
  fixture.reports.length = 0;
  at = fixture.provider.addAccount({ accessExpiresInSeconds: 100 * 24 * 3_600 });
  id = await fixture.importAccount(at);
  poller = fixture.node.poller();
});
afterAll(() => fixture.close());

const account = () => fixture.node.hot.state.accounts.get(id);
const sample = () => fixture.node.hot.state.usage.get(id)?.sample;
const samples = () => fixture.events(id, 'AccountUsageObserved');
const usageRequests = () => at.received.filter(({ path }) => path === USAGE);
const tokenRequests = () => at.received.filter(({ path }) => path === TOKEN);
const usageCalls = () => usageRequests().length;
const pause = () => fixture.node.handle(subjects.account, id, { type: 'PauseAccount', accountId: id }, because);

async function polls(count: number): Promise<void> {
  for (let poll = 0; poll < count; poll++) await poller.pollNow(id);
}

describe('a poll', () => {
  test("sends the account's tokens and svc's user agent", async () => {
    await poller.pollNow(id);
    expect(usageRequests().map(({ method, headers }) => ({ method, headers }))).toEqual([
      {
        method: 'GET',
        headers: expect.objectContaining({
          authorization: `Bearer ${at.tokens.current().accessToken}`,
          'chatgpt-account-id': at.id,
          accept: 'application/json',
          'user-agent': 'svc',
          'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        }),
      },
    ]);
  });

  test("is folded when it resolves, in the month's stream", async () => {
    at.usage.primary = usageWindow({ usedPercent: 37.5, resetsInSeconds: 600 }, fixture.now);
    at.usage.credits = { hasCredits: true, unlimited: false, balance: '12.50' };
    await poller.pollNow(id);
    expect(sample()).toEqual({
      primary: { usedPercent: 37, resetAt: (at.usage.primary?.resetAt ?? 0) * 1_000, windowMinutes: 300 },
      secondary: { usedPercent: 0, resetAt: (at.usage.secondary?.resetAt ?? 0) * 1_000, windowMinutes: 10_080 },
      credits: { hasCredits: true, isUnlimited: false, balance: '12.50' },
    });
    const stream = `accountUsage-${id}_${monthOf(fixture.now())}`;
    expect(fixture.node.hot.state.revisions.get(stream)).toBe(0);
  });

  test('without changes appends no event for 15 minutes', async () => {
    await polls(3);
    expect(await samples()).toHaveLength(1);
    fixture.advance(15 * MINUTE);
    await poller.pollNow(id);
    expect(await samples()).toHaveLength(2);
  });

  test('in a new month starts a stream and continues from the last sample', async () => {
    await poller.pollNow(id);
    fixture.advance(31 * 24 * HOUR);
    await poller.pollNow(id);
    const streams = [...fixture.node.hot.state.revisions.keys()].filter((name) =>
      name.startsWith(`accountUsage-${id}_`),
    );
    expect(new Set(streams).size).toBe(2);
  });

  test('is shared by concurrent calls', async () => {
    await Promise.all([poller.pollNow(id), poller.pollNow(id), poller.pollNow(id)]);
    expect(usageCalls()).toBe(1);
  });

  test('records a changed plan', async () => {
    at.usage.planType = 'Enterprise';
    await polls(2);
    expect(account()?.planType).toBe('enterprise');
    at.usage.planType = 'Quorum';
    await poller.pollNow(id);
    expect(await fixture.events(id, 'AccountPlanChanged')).toMatchObject([
      { data: { from: 'plus', to: 'enterprise' } },
      { data: { from: 'enterprise', to: 'Quorum' } },
    ]);
  });

  test('early-reset: makes the account available', async () => {
    at.usage.primary = usageWindow({ usedPercent: 100 }, fixture.now);
    await poller.pollNow(id);
    expect(sample()?.primary?.usedPercent).toBe(100);
    at.usage.primary = { ...at.usage.primary, usedPercent: 3 };
    await poller.pollNow(id);
    expect(sample()?.primary?.usedPercent).toBe(3);
  });

  test('weekly-only-plan: records its window as the secondary one', async () => {
    at.usage.primary = usageWindow({ usedPercent: 12, windowSeconds: 7 * 24 * 3_600 }, fixture.now);
    at.usage.secondary = null;
    await poller.pollNow(id);
    expect(sample()).toMatchObject({ primary: null, secondary: { usedPercent: 12, windowMinutes: 10_080 } });
  });

  test('records a window without a reset time', async () => {
    at.usage.primary = usageWindow({ usedPercent: 140, omit: ['reset_at', 'reset_after_seconds'] }, fixture.now);
    await poller.pollNow(id);
    expect(sample()?.primary).toMatchObject({ usedPercent: 140, resetAt: null });
  });

  test('includes paused accounts, but not deactivated, deleted or unknown ones', async () => {
    await pause();
    await poller.pollNow(id);
    expect(usageCalls()).toBe(1);
    await fixture.node.handle(subjects.account, id, { type: 'ReactivateAccount', accountId: id }, because);
    const deactivate = { type: 'DeactivateAccount', accountId: id, reason: 'r', code: 'c' } as const;
    await fixture.node.handle(subjects.account, id, deactivate, because);
    await poller.pollNow(id);
    await fixture.node.handle(subjects.account, id, { type: 'DeleteAccount', accountId: id }, because);
    await poller.pollNow(id);
    await poller.pollNow('unknown' as AccountId);
    expect(usageCalls()).toBe(1);
  });

  test('records nothing for an account that is deleted meanwhile', async () => {
    const deletion = Promise.withResolvers<void>();
    at.usage.failure = delayedUntil(deletion.promise, json(200, { plan_type: 'pro', rate_limit: null }));
    const poll = poller.pollNow(id);
    await fixture.provider.until(() => usageCalls() === 1);
    await fixture.node.handle(subjects.account, id, { type: 'DeleteAccount', accountId: id }, because);
    deletion.resolve();
    await poll;
    expect(await samples()).toEqual([]);
    expect(fixture.reports).toEqual([]);
  });

  test('on two nodes at the same time records one sample', async () => {
    const other = await fixture.startNode();
    fixture.onAppend('AccountUsageObserved', async (append) => {
      await other.poller().pollNow(id);
      return append();
    });
    await poller.pollNow(id);
    expect(usageCalls()).toBe(2);
    expect(await samples()).toHaveLength(1);
  });

  test('reports an unavailable log and records the next poll', async () => {
    fixture.onAppend('AccountUsageObserved', async () => ({ kind: 'rejected', reason: 'the disk is full' }));
    await poller.pollNow(id);
    expect(fixture.reports).toEqual([expect.stringContaining('could not be recorded')]);
    await poller.pollNow(id);
    expect(await samples()).toHaveLength(1);
  });
});

describe('tokens', () => {
  test('are refreshed before the call if they have expired', async () => {
    fixture.advance(100 * 24 * HOUR);
    await poller.pollNow(id);
    expect(tokenRequests()).toHaveLength(1);
    expect(usageRequests().map(({ status }) => status)).toEqual([200]);
    expect(sample()).toBeDefined();
  });

  test('are refreshed once after a 401, and the call is repeated', async () => {
    at.expireAccessToken();
    await poller.pollNow(id);
    expect(usageRequests().map(({ status }) => status)).toEqual([401, 200]);
    expect(tokenRequests()).toHaveLength(1);
    expect(sample()).toBeDefined();
  });

  test('are kept if the repeated call gets 401, too', async () => {
    at.usage.failure = 401;
    await poller.pollNow(id);
    expect(usageCalls()).toBe(2);
    expect(tokenRequests()).toHaveLength(1);
    expect(account()?.status).toBe('active');
    expect(fixture.reports).toEqual([expect.stringContaining('HTTP 401')]);
  });

  test('deactivate the account if their refresh fails permanently', async () => {
    at.revoke();
    await poller.pollNow(id);
    expect(account()?.status).toBe('deactivated');
    await poller.pollNow(id);
    expect(usageCalls()).toBe(1);
  });

  test('keep the account active if their refresh fails transiently', async () => {
    at.expireAccessToken();
    at.token = { status: 500 };
    await polls(3);
    expect(account()?.status).toBe('active');
    expect(tokenRequests()).toHaveLength(1);
  });
});

describe('a response without an account', () => {
  beforeEach(() => poller.pollNow(id));

  test.each([402, 404])('deactivates the account after three in a row: %i', async (status) => {
    at.usage.failure = status;
    await polls(2);
    expect(account()?.status).toBe('active');
    await poller.pollNow(id);
    expect(account()).toMatchObject({
      status: 'deactivated',
      deactivationReason: `Usage API error: HTTP ${status}`,
    });
    expect(await fixture.events(id, 'AccountDeactivated')).toMatchObject([{ data: { code: `usage_http_${status}` } }]);
  });

  test('is not counted across other responses', async () => {
    for (const failure of [402, 402, undefined, 402, 404, 500, 404, 402]) {
      at.usage.failure = failure;
      await poller.pollNow(id);
    }
    expect(account()?.status).toBe('active');
  });

  test('leaves a paused account paused', async () => {
    await pause();
    at.usage.failure = 402;
    await polls(4);
    expect(account()?.status).toBe('paused');
  });
});

test('deactivates no account for a 404 of a base URL that has never worked', async () => {
  const lost = fixture.node.poller({ upstreamBaseUrl: `${fixture.provider.url}/nowhere` });
  for (let poll = 0; poll < 5; poll++) await lost.pollNow(id);
  expect(account()?.status).toBe('active');
  expect(fixture.reports).toEqual([expect.stringContaining('HTTP 404')]);
});

describe('a failure changes nothing, is reported until it is over and retried only if useful', () => {
  test.each([
    ['403', 403, 1, 'HTTP 403'],
    ['408', 408, 3, 'HTTP 408'],
    ['429', 429, 3, 'HTTP 429'],
    ['500', 500, 3, 'HTTP 500'],
    ['529', 529, 3, 'HTTP 529'],
    ['429 with a long Retry-After', json(429, {}, { headers: { 'retry-after': '60' } }), 1, 'HTTP 429'],
    [
      'a redirect',
      fullResponse(302, 'text/html', '', { headers: { location: '/backend-api/wham/usage?x' } }),
      1,
      'HTTP 302',
    ],
    ['a reset connection', connectionReset(), 3, 'econnreset'],
    ['HTML', fullResponse(200, 'text/html', '<html>'), 1, 'unknown format'],
    ['another object', json(200, { detail: 'Not today' }), 1, 'unknown format'],
  ] as const)('%s', async (_name, failure, calls, report) => {
    await poller.pollNow(id);
    const before = sample();
    at.usage.failure = failure;
    await poller.pollNow(id);
    expect(usageCalls()).toBe(1 + calls);
    await polls(3);
    expect(account()?.status).toBe('active');
    expect(sample()).toBe(before);
    expect(fixture.reports).toEqual([expect.stringContaining(report)]);
    at.usage.failure = undefined;
    await poller.pollNow(id);
    expect(fixture.reports.slice(1)).toEqual([expect.stringMatching(/^Over after /)]);
  });

  test('no response', async () => {
    at.usage.failure = { name: 'silence', steps: [{ hold: true }] };
    await fixture.node.poller({ timeoutMs: 50 }).pollNow(id);
    expect(usageCalls()).toBe(3);
    expect(fixture.reports).toEqual([expect.stringContaining('etimedout')]);
  });

  test('is not reported if a retry succeeds', async () => {
    let calls = 0;
    at.usage.failure = {
      name: 'one failure',
      steps: () => [{ head: calls++ === 0 ? 503 : 204 }],
    };
    await poller.pollNow(id);
    expect(usageCalls()).toBe(2);
    expect(fixture.reports).toEqual([expect.stringContaining('HTTP 204')]);
  });

  test('is reported for each account', async () => {
    const second = await fixture.importAccount(fixture.provider.addAccount({ usage: { failure: 403 } }));
    at.usage.failure = 403;
    await Promise.all([poller.pollNow(id), poller.pollNow(second)]);
    expect(fixture.reports).toHaveLength(2);
  });
});

describe('rounds', () => {
  let shared: ProviderFixture;
  beforeEach(async () => {
    shared = fixture;
    fixture = await startFixture();
    at = fixture.provider.addAccount();
    id = await fixture.importAccount(at);
  });
  afterEach(async () => {
    await fixture.close();
    fixture = shared;
  });

  test('poll every account once in each interval', async () => {
    for (let index = 0; index < 5; index++) await fixture.importAccount(fixture.provider.addAccount());
    // Long enough that a busy machine delays no poll into the next interval.
    const rounds = fixture.node.poller({ everyMs: 300 });
    rounds.start();
    rounds.start();
    await fixture.provider.until(() => fixture.provider.accounts.every(({ received }) => received.length >= 2));
    await rounds.stop();
    const counts = fixture.provider.accounts.map(({ received }) => received.length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  test('poll at most four accounts at the same time', async () => {
    for (let index = 0; index < 11; index++) await fixture.importAccount(fixture.provider.addAccount());
    for (const { usage } of fixture.provider.accounts) usage.failure = delayed(100, json(403, {}));
    const rounds = fixture.node.poller({ everyMs: 1 });
    rounds.start();
    let maxInFlight = 0;
    await fixture.provider.until(() => {
      maxInFlight = Math.max(maxInFlight, fixture.provider.accounts.filter(({ inFlight }) => inFlight > 0).length);
      return fixture.provider.accounts.every(({ received }) => received.length > 0);
    });
    await rounds.stop();
    expect(maxInFlight).toBe(4);
  });

  test('abort their calls when stopped and can be started again', async () => {
    at.usage.failure = { name: 'silence', steps: [{ hold: true }] };
    const rounds = fixture.node.poller({ everyMs: 1, timeoutMs: 60_000 });
    rounds.start();
    await fixture.provider.until(() => usageCalls() === 1);
    await rounds.stop();
    await fixture.provider.until(() => usageRequests().every(({ ended }) => ended));
    expect(fixture.reports).toEqual([]);
    at.usage.failure = undefined;
    rounds.start();
    await fixture.provider.until(() => usageRequests().some(({ status }) => status === 200));
    await rounds.stop();
  });
});
