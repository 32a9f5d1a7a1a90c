import { describe, expect, test } from 'vitest';
import {
  expectSecondAccountResponds,
  type FailureResult,
  failures,
  HELLO,
  type Pooled,
  textIn,
} from '../support/failures.ts';
import type { Gateway } from '../support/gateway.ts';
import { textResponse, throttled, usageLimitReached } from '../support/provider/scripts.ts';

// The provider refuses the account, for its limit or its tokens (docs/provider.md#failure-classes).

let gateway: Gateway;
const { start, askOnce, withSecondAccount, withOnlyAccount } = failures((started) => {
  gateway = started;
});

describe('usage-limit-reached: the provider reports a usage limit', () => {
  test('uses the second account, and the first again after its reset', async () => {
    const result = await withSecondAccount(usageLimitReached({ resetsInSeconds: 600 }));
    expectSecondAccountResponds(result);
    expect(result.outcomes).toEqual(['usage_limit', 'ok']);
    const availability = await gateway.availability(result.first.id);
    expect(availability).toMatchObject({ state: 'rate_limited' });
    expect(Date.parse(availability.until) - Date.now()).toBeGreaterThan(500_000);
  });

  test('responds with 429, the type that Codex knows and the reset time', async () => {
    const { status, error, headers, row } = await withOnlyAccount(usageLimitReached({ resetsInSeconds: 600 }));
    expect(status).toBe(429);
    expect(error).toMatchObject({ type: 'usage_limit_reached', code: 'rate_limit_exceeded' });
    expect(error.resets_in_seconds).toBeGreaterThan(590);
    expect(error.resets_at).toBeGreaterThan(Date.now() / 1_000);
    expect(headers.get('retry-after')).toBeNull();
    expect(row).toMatchObject({ status: '429', error_code: 'rate_limit_exceeded', tokens: null });
  });

  test('refuses the next request without calling the provider, also after a restart', async () => {
    const { only } = await withOnlyAccount(usageLimitReached({ resetsInSeconds: 600 }));
    const callsToProvider = () => only.at.received.filter(({ path }) => path.endsWith('/codex/responses')).length;
    expect((await gateway.ask()).status).toBe(429);
    await gateway.restart();
    const response = await gateway.ask();
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { type: 'usage_limit_reached' } });
    expect(callsToProvider()).toBe(1);
  });
});

describe('Retry-After of a pool whose limits are used up', () => {
  test('is that of the first account that is available again, not of the last one tried', async () => {
    await start({ accounts: 2 });
    for (const [index, resetsInSeconds] of [20, 6_000].entries()) {
      gateway.pool[index]?.at.always(usageLimitReached({ resetsInSeconds }));
    }
    const { status, headers, error, outcomes } = await askOnce();
    expect([status, outcomes]).toEqual([429, ['usage_limit', 'usage_limit']]);
    expect(error).toMatchObject({ type: 'usage_limit_reached', plan_type: 'plus' });
    expect(error.resets_in_seconds).toBeLessThanOrEqual(20);
    expect(Number(headers.get('retry-after'))).toBe(error.resets_in_seconds);
  });

  test('is sent when no attempt is left', async () => {
    await start({ accounts: 5 });
    for (const { at } of gateway.pool) at.always(throttled({ retryAfter: 20 }));
    const { status, headers, error, outcomes } = await askOnce();
    expect([status, outcomes?.length]).toEqual([429, 5]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(15);
    expect(error.resets_in_seconds).toBe(Number(headers.get('retry-after')));
  });

  test('is one second while an account that was not tried is available', async () => {
    await start({ accounts: 6 });
    for (const { at } of gateway.pool) at.always(usageLimitReached({ resetsInSeconds: 6_000 }));
    const { headers, outcomes } = await askOnce();
    expect([outcomes?.length, headers.get('retry-after')]).toEqual([5, '1']);
  });

  test('is that of an account whose limit ends before the cool-down of another one', async () => {
    await start({ accounts: 2 });
    const [first, second] = gateway.pool as [Pooled, Pooled];
    first.at.always(usageLimitReached({ resetsInSeconds: 30 }));
    second.at.always(throttled({ retryAfter: 300 }));
    await askOnce();
    const { status, headers } = await gateway.ask();
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(25);
  });
});

describe('throttled: a 429 without a reason', () => {
  test.each(['error', 'detail'] as const)(
    'uses the second account while the first cools down (shape "%s")',
    async (shape) => {
      const result = await withSecondAccount(throttled({ shape }));
      expectSecondAccountResponds(result);
      expect(result.outcomes).toEqual(['throttled', 'ok']);
      const availability = await gateway.availability(result.first.id);
      expect(['cooling', 'available']).toContain(availability.state);
      if (availability.state === 'cooling') expect(Date.parse(availability.until) - Date.now()).toBeLessThan(1_100);
    },
  );

  test('retries the only account after a wait, then responds with 429 and Retry-After', async () => {
    const { status, error, headers, outcomes } = await withOnlyAccount(throttled({ shape: 'error' }));
    expect(status).toBe(429);
    expect(error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(outcomes?.length).toBeGreaterThan(1);
    expect(new Set(outcomes)).toEqual(new Set(['throttled']));
  });

  test('succeeds on the only account after its cool-down', async () => {
    await start();
    gateway.pool[0]?.at.next(throttled({ shape: 'error' }));
    gateway.pool[0]?.at.always(textResponse({ text: HELLO }));
    const result = await askOnce();
    expect(textIn(result.events)).toBe(HELLO);
    expect(result.outcomes).toEqual(['throttled', 'ok']);
  });
});

describe('access-token-refused: the access token is refused once', () => {
  test('refreshes the token and stays on the account', async () => {
    await start({ accounts: 2 });
    const [first] = gateway.pool as [Pooled];
    first.at.always(textResponse({ text: HELLO }));
    first.at.expireAccessToken();
    const result = await askOnce();
    expect(textIn(result.events)).toBe(HELLO);
    expect(result.completed).toMatchObject({ status: '200', accountId: first.id });
    expect(result.outcomes).toEqual(['unauthorized', 'ok']);
    expect(gateway.events('TokensRefreshed')).toHaveLength(1);
    expect(await gateway.availability(first.id)).toMatchObject({ state: 'available' });
  });
});

describe('refresh-token-refused: the refresh token is refused too', () => {
  const breakFirst = async (accounts: number) => {
    await start({ accounts });
    const [first, second] = gateway.pool as [Pooled, Pooled | undefined];
    second?.at.always(textResponse({ text: HELLO }));
    first.at.expireAccessToken();
    first.at.token = { status: 401, error: 'refresh_token_reused' };
    return { first, second, ...(await askOnce()) };
  };

  test('uses the second account and deactivates the first with a reason', async () => {
    const result = await breakFirst(2);
    expectSecondAccountResponds(result as FailureResult);
    expect(await gateway.availability(result.first.id)).toMatchObject({ state: 'deactivated' });
    const [deactivated] = gateway.events('AccountDeactivated');
    expect(deactivated?.data).toMatchObject({ accountId: result.first.id, code: 'refresh_token_reused' });
    expect(deactivated?.data.reason).toMatch(/refresh token/i);
  });

  test('responds with 503 no_accounts without another account', async () => {
    const { status, error } = await breakFirst(1);
    expect(status).toBe(503);
    expect(error).toMatchObject({ code: 'no_accounts', type: 'server_error' });
  });
});
