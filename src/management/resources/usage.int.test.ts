import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { attemptsOf } from '../../../test/contract/readModels/randomRequests.ts';
import { authFile, upload } from '../../../test/support/authFiles.ts';
import { completed, refused, type Stage, startManagement } from '../../../test/support/management.ts';
import {
  DAY,
  earlier,
  HOUR,
  later,
  MINUTE,
  NOW,
  usageSample,
  usageWindow,
} from '../../../test/support/specification.ts';
import { AccountUsageObserved, type UsageSample } from '../../domain/accountUsage/events.ts';
import { accountsCooled } from '../../domain/coolDown/events.ts';
import { type AccountId, type ApiKeyId, type Instant, iso } from '../../domain/core/brands.ts';
import { RefusalsCounted } from '../../domain/request/events.ts';

async function importAccount({ call }: Stage, name: string, plan: string): Promise<AccountId> {
  const file = authFile({ email: `${name}@example.com`, accountId: name, plan });
  const { body } = await call('POST', '/api/accounts/import', upload(file));
  return body.account_id;
}

/** Records a usage sample of an account at the given time. */
async function recordSample({ log, hot }: Stage, accountId: AccountId, sample: UsageSample, time: Instant = NOW) {
  const outcome = await log.append(`accountUsage-${randomUUID()}`, -1, [
    {
      ...AccountUsageObserved({ accountId, ...sample }),
      id: randomUUID(),
      time,
      actor: { kind: 'system', reason: 'test' },
      correlationId: 'test',
    },
  ]);
  if (outcome.kind !== 'committed') throw new Error(outcome.kind);
  await hot.whenFolded(outcome.position);
}

const get = async ({ call }: Stage, path: string) => {
  const { status, body } = await call('GET', path);
  expect([status, path]).toEqual([200, path]);
  return body;
};

const windowOf = (resetAt: Instant, usedPercent: number, windowMinutes: number | null = null) => ({
  usedPercent,
  resetAt,
  windowMinutes,
});

test('returns zeros without accounts and requests', async () => {
  const stage = await startManagement();
  const nothing = { remaining_percent: 0, capacity_credits: 0, remaining_credits: 0, reset_at: null };
  expect(await get(stage, '/api/usage/summary')).toEqual({
    primary_window: { ...nothing, window_minutes: 1_440 },
    secondary_window: { ...nothing, window_minutes: 10_080 },
    cost: { currency: 'USD', totalUsd7d: 0 },
    metrics: {
      requests7d: 0,
      tokens_secondary_window: 0,
      cached_tokens_secondary_window: 0,
      errorRate7d: 0,
      top_error: null,
    },
  });
  expect(await get(stage, '/api/usage/history')).toEqual({ window_hours: 24, accounts: [] });
  expect(await get(stage, '/api/usage/window')).toEqual({
    window_key: 'primary',
    window_minutes: 1_440,
    accounts: [],
  });
});

test('weights active accounts by the credits of their plans', async () => {
  const stage = await startManagement();
  const [plus, pro, paused] = [
    await importAccount(stage, 'plus', 'plus'),
    await importAccount(stage, 'pro', 'pro'),
    await importAccount(stage, 'paused', 'pro'),
  ];
  await recordSample(stage, plus, usageSample(windowOf(later(2 * HOUR), 40, 300), windowOf(later(DAY), 10)));
  await recordSample(stage, pro, usageSample(windowOf(later(HOUR), 90, 300), windowOf(later(2 * DAY), 50)));
  await recordSample(stage, paused, usageSample(windowOf(later(MINUTE), 0, 300), windowOf(later(MINUTE), 0)));
  await stage.call('POST', `/api/accounts/${paused}/pause`);

  const { primary_window, secondary_window } = await get(stage, '/api/usage/summary');
  // 225 * 60 % + 1500 * 10 % = 285 of 1725; 7560 * 90 % + 50400 * 50 % = 32004 of 57960
  expect(primary_window).toEqual({
    remaining_percent: 16.52,
    capacity_credits: 1_725,
    remaining_credits: 285,
    reset_at: iso(later(HOUR)),
    window_minutes: 300,
  });
  expect(secondary_window).toEqual({
    remaining_percent: 55.22,
    capacity_credits: 57_960,
    remaining_credits: 32_004,
    reset_at: iso(later(DAY)),
    window_minutes: 10_080,
  });
});

test('uses the default window length where accounts differ', async () => {
  const stage = await startManagement();
  await recordSample(stage, await importAccount(stage, 'a', 'plus'), usageSample(windowOf(later(HOUR), 1, 300), null));
  await recordSample(stage, await importAccount(stage, 'b', 'plus'), usageSample(windowOf(later(HOUR), 1, 600), null));
  expect((await get(stage, '/api/usage/summary')).primary_window.window_minutes).toBe(1_440);
  expect((await get(stage, '/api/usage/window')).window_minutes).toBe(1_440);
});

test('sums cost, tokens and errors over exactly the last seven days', async () => {
  const stage = await startManagement();
  await stage.append(
    completed({ requestedAt: earlier(7 * DAY) }),
    completed({ requestedAt: earlier(3 * DAY) }),
    completed({ requestedAt: earlier(HOUR), status: 'error', errorCode: 'stream_incomplete', costMicroDollars: null }),
    refused({ requestedAt: earlier(MINUTE) }),
    refused({ requestedAt: earlier(MINUTE) }),
    completed({ requestedAt: earlier(7 * DAY + 1) }),
    completed({ requestedAt: earlier(30 * DAY) }),
  );
  const { cost, metrics } = await get(stage, '/api/usage/summary');
  expect(cost).toEqual({ currency: 'USD', totalUsd7d: 0.0025 });
  expect(metrics).toEqual({
    requests7d: 5,
    tokens_secondary_window: 360,
    cached_tokens_secondary_window: 120,
    errorRate7d: 60,
    top_error: 'rate_limit_exceeded',
  });
});

test('counts unlogged refusals as failed requests', async () => {
  const stage = await startManagement();
  const keyId = '11111111-1111-4111-8111-111111111111' as ApiKeyId;
  await stage.append(
    completed(),
    RefusalsCounted({ keyId, address: null, minute: NOW, counts: { model_not_allowed: 3 } }),
    RefusalsCounted({ keyId: null, address: '203.0.113.9', minute: NOW, counts: { invalid_api_key: 500 } }),
  );
  const { metrics } = await get(stage, '/api/usage/summary');
  expect(metrics).toMatchObject({ requests7d: 4, errorRate7d: 75, top_error: 'model_not_allowed' });
});

test('returns the mean of the primary samples of the given hours', async () => {
  const stage = await startManagement();
  const [observed, silent] = [await importAccount(stage, 'a', 'plus'), await importAccount(stage, 'b', 'enterprise')];
  await recordSample(stage, observed, usageSample(usageWindow(90), null), earlier(25 * HOUR));
  await recordSample(stage, observed, usageSample(usageWindow(20), null), earlier(2 * HOUR));
  await recordSample(stage, observed, usageSample(usageWindow(30), null), earlier(2 * HOUR - MINUTE));
  await recordSample(stage, observed, usageSample(usageWindow(70), usageWindow(99)), earlier(MINUTE));
  const account = (id: string, percent: number, capacity: number) => ({
    account_id: id,
    remaining_percent_avg: percent,
    capacity_credits: capacity,
    remaining_credits: (capacity * percent) / 100,
    requests: 0,
    attempted_requests: 0,
  });
  expect(await get(stage, '/api/usage/history')).toEqual({
    window_hours: 24,
    accounts: [account(observed, 60, 225), account(silent, 100, 1_500)],
  });
  expect((await get(stage, '/api/usage/history?hours=1')).accounts[0]).toEqual(account(observed, 30, 225));
  // (10 + 80 + 70 + 30) / 4
  expect((await get(stage, '/api/usage/history?hours=168')).accounts[0].remaining_percent_avg).toBe(47.5);
});

test('counts the requests that each account served, and those that tried it', async () => {
  const stage = await startManagement();
  const [a, b] = [await importAccount(stage, 'a', 'plus'), await importAccount(stage, 'b', 'plus')] as AccountId[];
  const served = (accountIds: readonly (AccountId | undefined)[], requestedAt = earlier(HOUR)) => {
    const attempts = attemptsOf(accountIds as AccountId[]);
    return completed({ accountId: accountIds.at(-1) as AccountId, attempts, requestedAt });
  };
  await stage.append(served([a, b]), served([a, b]), served([b]), served([a]), served([a], earlier(25 * HOUR)));
  const { accounts } = await get(stage, '/api/usage/history');
  expect(accounts).toMatchObject([
    { account_id: a, requests: 1, attempted_requests: 3 },
    { account_id: b, requests: 3, attempted_requests: 3 },
  ]);
});

test('returns the last sample of each account', async () => {
  const stage = await startManagement();
  const id = await importAccount(stage, 'a', 'plus');
  await recordSample(stage, id, usageSample(usageWindow(20), usageWindow(30)), earlier(HOUR));
  await recordSample(stage, id, usageSample(windowOf(later(HOUR), 120, 300), windowOf(later(DAY), 25, 10_080)));
  const account = (percent: number, capacity: number, remaining: number) => [
    { account_id: id, remaining_percent_avg: percent, capacity_credits: capacity, remaining_credits: remaining },
  ];
  const primary = { window_key: 'primary', window_minutes: 300, accounts: account(0, 225, 0) };
  expect(await get(stage, '/api/usage/window')).toEqual(primary);
  expect(await get(stage, '/api/usage/window?window=primary')).toEqual(primary);
  expect(await get(stage, '/api/usage/window?window=secondary')).toEqual({
    window_key: 'secondary',
    window_minutes: 10_080,
    accounts: account(75, 7_560, 5_670),
  });
});

test.each([
  ['history?hours=0', 'hours must be a whole number from 1 to 168'],
  ['history?hours=169', 'hours must be a whole number from 1 to 168'],
  ['history?hours=1.5', 'hours must be a whole number from 1 to 168'],
  ['history?hours=', 'hours must be a whole number from 1 to 168'],
  ['history?hours=1&hours=2', 'hours is given twice'],
  ['window?window=tertiary', 'window must be primary or secondary'],
  ['window?window=', 'window must be primary or secondary'],
])('rejects %s: %s', async (query, message) => {
  const { call } = await startManagement();
  const { status, body } = await call('GET', `/api/usage/${query}`);
  expect([status, body]).toEqual([400, { error: { code: 'validation_error', message } }]);
});

test('returns a point for each hour of seven days and fills gaps with the last value', async () => {
  const stage = await startManagement();
  const id = await importAccount(stage, 'a', 'plus');
  await recordSample(stage, id, usageSample(usageWindow(25), null), earlier(9 * DAY));
  await recordSample(stage, id, usageSample(usageWindow(50), null), earlier(3 * HOUR));
  await recordSample(stage, id, usageSample(usageWindow(51), null), earlier(3 * HOUR - MINUTE));
  await recordSample(stage, id, usageSample(usageWindow(100), null), NOW);
  const { account_id, primary, secondary } = await get(stage, `/api/accounts/${id}/trends`);
  expect([account_id, secondary, primary.length]).toEqual([id, [], 168]);
  expect(primary[0]).toEqual({ t: iso(earlier(167 * HOUR)), v: 75 });
  expect(primary.slice(-5)).toEqual([
    { t: iso(earlier(4 * HOUR)), v: 75 },
    { t: iso(earlier(3 * HOUR)), v: 49.5 },
    { t: iso(earlier(2 * HOUR)), v: 49.5 },
    { t: iso(earlier(HOUR)), v: 49.5 },
    { t: iso(NOW), v: 0 },
  ]);
});

test('returns the trends of all accounts in one call, as those of each', async () => {
  const stage = await startManagement();
  const ids = [await importAccount(stage, 'a', 'plus'), await importAccount(stage, 'b', 'plus')] as const;
  await recordSample(stage, ids[0], usageSample(usageWindow(40), null), earlier(HOUR));
  const { since, trends } = await get(stage, '/api/accounts/trends');
  for (const [index, id] of ids.entries()) {
    const { primary, secondary } = await get(stage, `/api/accounts/${id}/trends`);
    const values = (points: { v: number }[]) => points.map(({ v }) => v);
    expect(trends[index]).toEqual({ account_id: id, primary: values(primary), secondary: values(secondary) });
    if (primary.length > 0) expect(primary[0].t).toBe(since);
  }
});

test('returns 100 % before the first sample of a window', async () => {
  const stage = await startManagement();
  const id = await importAccount(stage, 'a', 'plus');
  await recordSample(stage, id, usageSample(null, usageWindow(40)), earlier(HOUR));
  const { primary, secondary } = await get(stage, `/api/accounts/${id}/trends`);
  expect([primary, secondary.slice(-3).map(({ v }: { v: number }) => v)]).toEqual([[], [100, 60, 60]]);
});

test('weights pooled trends by credits and leaves out inactive accounts', async () => {
  const stage = await startManagement();
  const plus = await importAccount(stage, 'a', 'plus');
  const pro = await importAccount(stage, 'b', 'pro');
  const paused = await importAccount(stage, 'c', 'pro');
  await stage.call('POST', `/api/accounts/${paused}/pause`);
  expect(await get(stage, '/api/usage/trends')).toEqual({ primary: [], secondary: [] });
  await recordSample(stage, plus, usageSample(usageWindow(100), null), earlier(HOUR));
  await recordSample(stage, pro, usageSample(usageWindow(50), null), NOW);
  await recordSample(stage, paused, usageSample(usageWindow(100), null), NOW);
  const { primary, secondary } = await get(stage, '/api/usage/trends');
  expect([primary.length, secondary]).toEqual([168, []]);
  expect(primary.slice(-3)).toEqual([
    { t: iso(earlier(2 * HOUR)), v: 100 },
    { t: iso(earlier(HOUR)), v: 86.96 },
    { t: iso(NOW), v: 43.48 },
  ]);
  const { primary_window } = await get(stage, '/api/usage/summary');
  expect(primary_window.remaining_percent).toBe(43.48);
});

test('responds to trends of an unknown account with 404', async () => {
  const { call } = await startManagement();
  const { status, body } = await call('GET', '/api/accounts/unknown/trends');
  expect([status, body.error.code]).toEqual([404, 'account_not_found']);
});

test('counts each account once in the overview, by what makes it unavailable', async () => {
  const stage = await startManagement();
  const ids: AccountId[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push(await importAccount(stage, name, 'plus'));
  const [, cooling, paused, limited, spent] = ids as [AccountId, AccountId, AccountId, AccountId, AccountId];
  const coolDown = { since: NOW, until: later(MINUTE), cause: 'unreachable', failures: 1 };
  const requests = [{ requestId: 'req_1', accounts: [{ accountId: cooling, ...coolDown }] }];
  await stage.append(accountsCooled({ number: 1, requests }));
  await stage.call('POST', `/api/accounts/${paused}/pause`);
  await recordSample(stage, limited, usageSample(windowOf(later(HOUR), 100), windowOf(later(DAY), 10)));
  await recordSample(stage, spent, usageSample(windowOf(later(HOUR), 100), windowOf(later(DAY), 100)));
  const counts = { total: 5, active: 2, paused: 1, rateLimited: 1, quotaExceeded: 1, deactivated: 0 };
  expect((await get(stage, '/api/dashboard/overview')).accountCounts).toEqual(counts);
  stage.clock.now = later(2 * HOUR);
  expect((await get(stage, '/api/dashboard/overview')).accountCounts).toEqual({ ...counts, active: 3, rateLimited: 0 });
});

test('sums usage over seven days, and requests and errors over 24 hours', async () => {
  const stage = await startManagement();
  await stage.append(
    completed({ requestedAt: earlier(6 * DAY) }),
    completed({ requestedAt: earlier(DAY + 1) }),
    completed({ requestedAt: earlier(DAY) }),
    completed({ requestedAt: NOW }),
    refused({ requestedAt: earlier(HOUR) }),
    completed({ requestedAt: earlier(8 * DAY) }),
  );
  const { accountCounts: _, ...rest } = await get(stage, '/api/dashboard/overview');
  expect(rest).toEqual({
    usageSummary: { totalTokens: 480, totalCost: 0.005, inputTokens: 400, outputTokens: 80 },
    requestCount: 3,
    errorRate: 33.33,
    usage_refresh_seconds: 60,
  });
});

test('includes a request that has just ended in the overview', async () => {
  const stage = await startManagement();
  for (const count of [1, 2, 3]) {
    await stage.append(completed());
    expect((await get(stage, '/api/dashboard/overview')).requestCount).toBe(count);
  }
});

test('lists models with a price and those that served a request', async () => {
  const stage = await startManagement();
  await stage.append(completed({ model: 'gpt-oss' }), completed({ model: 'gtp-5', status: '404' }));
  const entry = (id: string) => ({ id, name: id });
  expect(await get(stage, '/api/models')).toEqual({ models: [entry('gpt-5'), entry('gpt-5.1'), entry('gpt-oss')] });
});
