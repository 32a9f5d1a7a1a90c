import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SimulatedAccount } from '../../../test/support/provider/account.ts';
import { after, delayed, json, resetConnection, usageWindow, whole } from '../../../test/support/provider/scripts.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import { monthOf, subjects } from '../../state/fold/subjects.ts';
import { because, HOUR, MINUTE, type Stage, setStage, TOKEN, USAGE } from '../stage.support.ts';
import type { UsagePoller } from './usagePoller.ts';

let stage: Stage;
let at: SimulatedAccount;
let id: AccountId;
let poller: UsagePoller;

beforeAll(async () => {
  stage = await setStage();
});
beforeEach(async () => {
  stage.reports.length = 0;
  at = stage.provider.addAccount({ accessExpiresInSeconds: 100 * 24 * 3_600 });
  id = await stage.importAccount(at);
  poller = stage.node.poller();
});
afterAll(() => stage.close());

const account = () => stage.node.hot.state.accounts.get(id);
const sample = () => stage.node.hot.state.usage.get(id)?.sample;
const samples = () => stage.events(id, 'AccountUsageObserved');
const usageRequests = () => at.received.filter(({ path }) => path === USAGE);
const tokenRequests = () => at.received.filter(({ path }) => path === TOKEN);
const usageCalls = () => usageRequests().length;
const pause = () => stage.node.handle(subjects.account, id, { type: 'PauseAccount', accountId: id }, because);

async function polls(count: number): Promise<void> {
  for (let poll = 0; poll < count; poll++) await poller.pollNow(id);
}

describe('a poll', () => {
  test('asks as the account and under our own name', async () => {
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

  test('has its answer folded when it is over, in the stream of the month', async () => {
    at.usage.primary = usageWindow({ usedPercent: 37.5, resetsInSeconds: 600 }, stage.now);
    at.usage.credits = { hasCredits: true, unlimited: false, balance: '12.50' };
    await poller.pollNow(id);
    expect(sample()).toEqual({
      primary: { usedPercent: 37, resetAt: (at.usage.primary?.resetAt ?? 0) * 1_000, windowMinutes: 300 },
      secondary: { usedPercent: 0, resetAt: (at.usage.secondary?.resetAt ?? 0) * 1_000, windowMinutes: 10_080 },
      credits: { hasCredits: true, isUnlimited: false, balance: '12.50' },
    });
    const stream = `accountUsage-${id}_${monthOf(stage.now())}`;
    expect(stage.node.hot.state.revisions.get(stream)).toBe(0);
  });

  test('that brings nothing new leaves nothing behind, for a quarter of an hour', async () => {
    await polls(3);
    expect(await samples()).toHaveLength(1);
    stage.advance(15 * MINUTE);
    await poller.pollNow(id);
    expect(await samples()).toHaveLength(2);
  });

  test('in another month begins another stream and goes on from the last sample', async () => {
    await poller.pollNow(id);
    stage.advance(31 * 24 * HOUR);
    await poller.pollNow(id);
    const streams = [...stage.node.hot.state.revisions.keys()].filter((name) => name.startsWith(`accountUsage-${id}_`));
    expect(new Set(streams).size).toBe(2);
  });

  test('is one call for all who want it at the same time', async () => {
    await Promise.all([poller.pollNow(id), poller.pollNow(id), poller.pollNow(id)]);
    expect(usageCalls()).toBe(1);
  });

  test('of a plan that changed is recorded', async () => {
    at.usage.planType = 'Enterprise';
    await polls(2);
    expect(account()?.planType).toBe('enterprise');
    at.usage.planType = 'Quorum';
    await poller.pollNow(id);
    expect(await stage.events(id, 'AccountPlanChanged')).toMatchObject([
      { data: { from: 'plus', to: 'enterprise' } },
      { data: { from: 'enterprise', to: 'Quorum' } },
    ]);
  });

  test('early-reset: of a window that was reset early opens the account', async () => {
    at.usage.primary = usageWindow({ usedPercent: 100 }, stage.now);
    await poller.pollNow(id);
    expect(sample()?.primary?.usedPercent).toBe(100);
    at.usage.primary = { ...at.usage.primary, usedPercent: 3 };
    await poller.pollNow(id);
    expect(sample()?.primary?.usedPercent).toBe(3);
  });

  test('weekly-only-plan: of a plan with only a weekly window shows it as the secondary one', async () => {
    at.usage.primary = usageWindow({ usedPercent: 12, windowSeconds: 7 * 24 * 3_600 }, stage.now);
    at.usage.secondary = null;
    await poller.pollNow(id);
    expect(sample()).toMatchObject({ primary: null, secondary: { usedPercent: 12, windowMinutes: 10_080 } });
  });

  test('without any reset time is kept without one', async () => {
    at.usage.primary = usageWindow({ usedPercent: 140, omit: ['reset_at', 'reset_after_seconds'] }, stage.now);
    await poller.pollNow(id);
    expect(sample()?.primary).toMatchObject({ usedPercent: 140, resetAt: null });
  });

  test('of a paused account goes on, of a deactivated, deleted or unknown one does not', async () => {
    await pause();
    await poller.pollNow(id);
    expect(usageCalls()).toBe(1);
    await stage.node.handle(subjects.account, id, { type: 'ReactivateAccount', accountId: id }, because);
    const deactivate = { type: 'DeactivateAccount', accountId: id, reason: 'r', code: 'c' } as const;
    await stage.node.handle(subjects.account, id, deactivate, because);
    await poller.pollNow(id);
    await stage.node.handle(subjects.account, id, { type: 'DeleteAccount', accountId: id }, because);
    await poller.pollNow(id);
    await poller.pollNow('nobody' as AccountId);
    expect(usageCalls()).toBe(1);
  });

  test('of an account that is deleted meanwhile leaves nothing behind', async () => {
    const deletion = Promise.withResolvers<void>();
    at.usage.failure = after(deletion.promise, json(200, { plan_type: 'pro', rate_limit: null }));
    const poll = poller.pollNow(id);
    await stage.provider.until(() => usageCalls() === 1);
    await stage.node.handle(subjects.account, id, { type: 'DeleteAccount', accountId: id }, because);
    deletion.resolve();
    await poll;
    expect(await samples()).toEqual([]);
    expect(stage.reports).toEqual([]);
  });

  test('at the same time as on another node leaves one sample', async () => {
    const other = await stage.startNode();
    stage.onAppend('AccountUsageObserved', async (append) => {
      await other.poller().pollNow(id);
      return append();
    });
    await poller.pollNow(id);
    expect(usageCalls()).toBe(2);
    expect(await samples()).toHaveLength(1);
  });

  test('that the log does not take is told and does no harm', async () => {
    stage.onAppend('AccountUsageObserved', async () => ({ kind: 'rejected', reason: 'the disk is full' }));
    await poller.pollNow(id);
    expect(stage.reports).toEqual([expect.stringContaining('could not be recorded')]);
    await poller.pollNow(id);
    expect(await samples()).toHaveLength(1);
  });
});

describe('tokens', () => {
  test('that have run out are refreshed before the provider is asked', async () => {
    stage.advance(100 * 24 * HOUR);
    await poller.pollNow(id);
    expect(tokenRequests()).toHaveLength(1);
    expect(usageRequests().map(({ status }) => status)).toEqual([200]);
    expect(sample()).toBeDefined();
  });

  test('401: are refreshed once, and the provider is asked once more', async () => {
    at.expireAccessToken();
    await poller.pollNow(id);
    expect(usageRequests().map(({ status }) => status)).toEqual([401, 200]);
    expect(tokenRequests()).toHaveLength(1);
    expect(sample()).toBeDefined();
  });

  test('401: that are refused all the same change nothing', async () => {
    at.usage.failure = 401;
    await poller.pollNow(id);
    expect(usageCalls()).toBe(2);
    expect(tokenRequests()).toHaveLength(1);
    expect(account()?.status).toBe('active');
    expect(stage.reports).toEqual([expect.stringContaining('HTTP 401')]);
  });

  test('401: whose refresh fails for good deactivate the account', async () => {
    at.revoke();
    await poller.pollNow(id);
    expect(account()?.status).toBe('deactivated');
    await poller.pollNow(id);
    expect(usageCalls()).toBe(1);
  });

  test('401: whose refresh fails for the moment do not', async () => {
    at.expireAccessToken();
    at.token = { status: 500 };
    await polls(3);
    expect(account()?.status).toBe('active');
    expect(tokenRequests()).toHaveLength(1);
  });
});

describe('an answer that there is no such account', () => {
  beforeEach(() => poller.pollNow(id));

  test.each([402, 404])('%i three times in a row deactivates it with the reason', async (status) => {
    at.usage.failure = status;
    await polls(2);
    expect(account()?.status).toBe('active');
    await poller.pollNow(id);
    expect(account()).toMatchObject({
      status: 'deactivated',
      deactivationReason: `Usage API error: HTTP ${status}`,
    });
    expect(await stage.events(id, 'AccountDeactivated')).toMatchObject([{ data: { code: `usage_http_${status}` } }]);
  });

  test('is forgotten when another one comes between', async () => {
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

test('404 from an address that has never answered is a wrong address: nobody is deactivated', async () => {
  const lost = stage.node.poller({ upstreamBaseUrl: `${stage.provider.url}/nowhere` });
  for (let poll = 0; poll < 5; poll++) await lost.pollNow(id);
  expect(account()?.status).toBe('active');
  expect(stage.reports).toEqual([expect.stringContaining('HTTP 404')]);
});

describe('a failure changes nothing, is told once an hour, and is repeated within a poll only where that may help', () => {
  test.each([
    ['403', 403, 1, 'HTTP 403'],
    ['408', 408, 3, 'HTTP 408'],
    ['429', 429, 3, 'HTTP 429'],
    ['500', 500, 3, 'HTTP 500'],
    ['529', 529, 3, 'HTTP 529'],
    ['429 that asks for patience', json(429, {}, { headers: { 'retry-after': '60' } }), 1, 'HTTP 429'],
    ['a redirect', whole(302, 'text/html', '', { headers: { location: '/backend-api/wham/usage?x' } }), 1, 'HTTP 302'],
    ['a torn line', resetConnection(), 3, 'econnreset'],
    ['HTML', whole(200, 'text/html', '<html>'), 1, 'not in a form'],
    ['another object', json(200, { detail: 'Not today' }), 1, 'not in a form'],
  ] as const)('%s', async (_name, failure, calls, told) => {
    await poller.pollNow(id);
    const before = sample();
    at.usage.failure = failure;
    await poller.pollNow(id);
    expect(usageCalls()).toBe(1 + calls);
    await polls(3);
    expect(account()?.status).toBe('active');
    expect(sample()).toBe(before);
    expect(stage.reports).toEqual([expect.stringContaining(told)]);
    stage.advance(HOUR);
    await poller.pollNow(id);
    expect(stage.reports).toHaveLength(2);
  });

  test('silence', async () => {
    at.usage.failure = { name: 'silence', steps: [{ hold: true }] };
    await stage.node.poller({ timeoutMs: 50 }).pollNow(id);
    expect(usageCalls()).toBe(3);
    expect(stage.reports).toEqual([expect.stringContaining('etimedout')]);
  });

  test('a provider that recovers within the poll is not told of', async () => {
    let calls = 0;
    at.usage.failure = {
      name: 'one failure',
      steps: () => [{ head: calls++ === 0 ? 503 : 204 }],
    };
    await poller.pollNow(id);
    expect(usageCalls()).toBe(2);
    expect(stage.reports).toEqual([expect.stringContaining('HTTP 204')]);
  });

  test('of one account does not silence another', async () => {
    const second = await stage.importAccount(stage.provider.addAccount({ usage: { failure: 403 } }));
    at.usage.failure = 403;
    await Promise.all([poller.pollNow(id), poller.pollNow(second)]);
    expect(stage.reports).toHaveLength(2);
  });
});

describe('the round', () => {
  let shared: Stage;
  beforeEach(async () => {
    shared = stage;
    stage = await setStage();
    at = stage.provider.addAccount();
    id = await stage.importAccount(at);
  });
  afterEach(async () => {
    await stage.close();
    stage = shared;
  });

  test('asks for every account once in each interval', async () => {
    for (let index = 0; index < 5; index++) await stage.importAccount(stage.provider.addAccount());
    const rounds = stage.node.poller({ everyMs: 100 });
    rounds.start();
    rounds.start();
    await stage.provider.until(() => stage.provider.accounts.every(({ received }) => received.length >= 2));
    await rounds.stop();
    const counts = stage.provider.accounts.map(({ received }) => received.length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  test('asks for no more than four at the same time', async () => {
    for (let index = 0; index < 11; index++) await stage.importAccount(stage.provider.addAccount());
    for (const { usage } of stage.provider.accounts) usage.failure = delayed(20, json(403, {}));
    const rounds = stage.node.poller({ everyMs: 1 });
    rounds.start();
    let most = 0;
    await stage.provider.until(() => {
      most = Math.max(most, stage.provider.accounts.filter(({ inFlight }) => inFlight > 0).length);
      return stage.provider.accounts.every(({ received }) => received.length > 0);
    });
    await rounds.stop();
    expect(most).toBe(4);
  });

  test('can be stopped in the middle, leaves no call open and can begin again', async () => {
    at.usage.failure = { name: 'silence', steps: [{ hold: true }] };
    const rounds = stage.node.poller({ everyMs: 1, timeoutMs: 60_000 });
    rounds.start();
    await stage.provider.until(() => usageCalls() === 1);
    await rounds.stop();
    await stage.provider.until(() => usageRequests().every(({ ended }) => ended));
    expect(stage.reports).toEqual([]);
    at.usage.failure = undefined;
    rounds.start();
    await stage.provider.until(() => usageRequests().some(({ status }) => status === 200));
    await rounds.stop();
  });
});
