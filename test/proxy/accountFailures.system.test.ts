import { describe, expect, test } from 'vitest';
import type { Gateway, GatewayOptions } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';
import type { AccountOptions } from '../support/provider/account.ts';
import { usageWindow } from '../support/provider/scripts.ts';
import type { TokenScript } from '../support/provider/tokenResponse.ts';

// How requests depend on an account's usage and tokens (docs/provider.md#failure-classes). The other failure classes are
// in refusedAccounts, failures and brokenStreams.

let gateway: Gateway;
const next = gateways();

const WEEK = 7 * 24 * 3600;

/** Starts the service with these accounts. */
async function start(accounts: AccountOptions[], options: GatewayOptions = {}) {
  gateway = await next({ ...options, accounts: 0 });
  const joined: { at: ReturnType<typeof gateway.provider.addAccount>; id: string }[] = [];
  for (const account of accounts) {
    const at = gateway.provider.addAccount(account);
    joined.push({ at, id: await gateway.importAccount(at) });
    await expect.poll(() => gateway.events('AccountUsageObserved').length).toBe(joined.length);
  }
  return joined;
}

async function ask() {
  const response = await gateway.ask();
  const text = await response.text();
  const data = gateway.events('RequestCompleted').at(-1)?.data;
  return { status: response.status, text, account: data?.accountId, outcomes: data?.attempts.map((a) => a.outcome) };
}
const accountOf = async (id: string) => {
  const { body } = await gateway.api('GET', '/api/accounts');
  return body.accounts.find(({ account_id }: { account_id: string }) => account_id === id);
};
const refreshes = () => gateway.provider.received.filter(({ path }) => path === '/oauth/token').length;

describe('early-reset: a window resets early', () => {
  const polling = { env: { SVC_USAGE_REFRESH_SECONDS: '1' } };
  const spent = { usage: { primary: usageWindow({ usedPercent: 100 }) } };

  test.each(['with', 'without'])(
    'makes the account available with the next usage sample, %s another account',
    async (others) => {
      const [account] = await start(others === 'with' ? [spent, spent] : [spent], polling);
      if (!account) throw new Error('no account');
      expect((await ask()).status).toBe(429);
      expect(await gateway.availability(account.id)).toMatchObject({ state: 'rate_limited' });

      const resetAt = account.at.usage.primary?.resetAt as number;
      account.at.usage.primary = { ...usageWindow({ usedPercent: 3 }), resetAt };
      await expect
        .poll(() => gateway.availability(account.id), { timeout: 5_000 })
        .toMatchObject({ state: 'available' });
      expect(await ask()).toMatchObject({ status: 200, account: account.id, outcomes: ['ok'] });
      expect(await accountOf(account.id)).toMatchObject({ usage: { primary_remaining_percent: 97 } });
    },
  );
});

describe('weekly-only-plan: the primary window is the weekly one', () => {
  const weekly = (usedPercent: number) => ({
    plan: 'free',
    usage: { primary: usageWindow({ usedPercent, windowSeconds: WEEK }), secondary: null },
  });

  test('shows it as the secondary window and the primary one as empty', async () => {
    const [account] = await start([weekly(40)]);
    expect(await accountOf(account?.id ?? '')).toMatchObject({
      usage: { primary_remaining_percent: 100, secondary_remaining_percent: 60 },
      reset_at_primary: null,
      reset_at_secondary: expect.stringMatching(/^\d{4}-/),
      window_minutes_secondary: 10_080,
    });
    // The headers of a response are about the same window.
    expect(await ask()).toMatchObject({ status: 200, outcomes: ['ok'] });
    expect(await accountOf(account?.id ?? '')).toMatchObject({
      usage: { primary_remaining_percent: 100, secondary_remaining_percent: 60 },
    });
  });

  test('treats a used-up weekly window as a quota and uses another account', async () => {
    const [spent, other] = await start([weekly(100), {}]);
    expect(await gateway.availability(spent?.id ?? '')).toMatchObject({ state: 'quota_exceeded' });
    expect(await ask()).toMatchObject({ status: 200, account: other?.id, outcomes: ['ok'] });
  });
});

describe('access-token-expired: the access token has expired', () => {
  test('refreshes once for concurrent requests, and all succeed', async () => {
    const [only] = await start([{}]);
    const before = refreshes();
    only?.at.expireAccessToken();
    const responses = await Promise.all(Array.from({ length: 5 }, () => ask()));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(refreshes() - before).toBe(1);
    expect(await gateway.availability(only?.id ?? '')).toMatchObject({ state: 'available' });
  });

  test('stays on the account after one refresh, although another account is available', async () => {
    const more = { usage: { secondary: usageWindow({ usedPercent: 50, windowSeconds: WEEK }) } };
    const [first, second] = await start([{}, more]);
    const before = refreshes();
    first?.at.expireAccessToken();
    const responses = await Promise.all(Array.from({ length: 5 }, () => ask()));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(gateway.events('RequestCompleted').map(({ data }) => data.accountId)).toEqual(Array(5).fill(first?.id));
    expect(refreshes() - before).toBe(1);
    for (const { id } of [first, second].filter((account) => account !== undefined)) {
      expect(await gateway.availability(id)).toMatchObject({ state: 'available' });
    }
  });
});

describe('token-endpoint-down: the token endpoint fails temporarily', () => {
  test.each<[what: string, script: TokenScript]>([
    ['500', { status: 500 }],
    ['503', { status: 503 }],
    ['429', { status: 429 }],
    ['silence', 'hang'],
  ])(
    'uses the second account and does not deactivate the first (%s)',
    async (_what, token) => {
      const more = { usage: { secondary: usageWindow({ usedPercent: 50, windowSeconds: WEEK }) } };
      const [first, second] = await start([{}, more]);
      if (!first) throw new Error('no account');
      first.at.expireAccessToken();
      first.at.token = token;
      expect(await ask()).toMatchObject({ status: 200, account: second?.id });
      expect(gateway.events('RequestCompleted').at(-1)?.data.attempts).toMatchObject([
        { accountId: first.id, outcome: 'unauthorized' },
        { accountId: first.id, isRepeat: true, outcome: 'tokens_unavailable' },
        { accountId: second?.id, outcome: 'ok' },
      ]);
      expect(await accountOf(first.id)).toMatchObject({ status: 'active', deactivation_reason: null });
    },
    20_000,
  );

  test('responds with 502 without another account, and recovers with the endpoint', async () => {
    const [only] = await start([{}]);
    if (!only) throw new Error('no account');
    only.at.expireAccessToken();
    only.at.token = { status: 500 };
    const { status, text } = await ask();
    expect([502, 503]).toContain(status);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'upstream_error', type: 'server_error' } });
    expect(await accountOf(only.id)).toMatchObject({ status: 'active', deactivation_reason: null });
    only.at.token = 'rotate';
    await expect.poll(async () => (await ask()).status, { timeout: 15_000, interval: 200 }).toBe(200);
  }, 20_000);
});
