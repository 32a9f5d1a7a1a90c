import { describe, expect, test } from 'vitest';
import { expectSecondAnswered, type Failed, failures, HELLO, type Pooled, textIn } from '../support/failures.ts';
import type { Gateway } from '../support/gateway.ts';
import { codeless429, textAnswer, usageLimitReached } from '../support/provider/scripts.ts';

// The provider refuses the account, for its limit or its tokens (docs/provider.md#failure-classes).

let gateway: Gateway;
const { start, askOnce, withSecondAccount, withOnlyAccount } = failures((started) => {
  gateway = started;
});

describe('usage-limit-reached', () => {
  test('the second account answers and the first is out until its reset', async () => {
    const result = await withSecondAccount(usageLimitReached({ resetsInSeconds: 600 }));
    expectSecondAnswered(result);
    expect(result.outcomes).toEqual(['usage_limit', 'ok']);
    const availability = await gateway.availability(result.first.id);
    expect(availability).toMatchObject({ state: 'rate_limited' });
    expect(Date.parse(availability.until) - Date.now()).toBeGreaterThan(500_000);
  });

  test('without another account the client gets 429 with the type that Codex understands, and when it resets', async () => {
    const { status, error, headers, row } = await withOnlyAccount(usageLimitReached({ resetsInSeconds: 600 }));
    expect(status).toBe(429);
    expect(error).toMatchObject({ type: 'usage_limit_reached', code: 'rate_limit_exceeded' });
    expect(error.resets_in_seconds).toBeGreaterThan(590);
    expect(error.resets_at).toBeGreaterThan(Date.now() / 1_000);
    expect(headers.get('retry-after')).toBeNull();
    expect(row).toMatchObject({ status: '429', error_code: 'rate_limit_exceeded', tokens: null });
  });

  test('the next request is refused without asking the provider again, also after a restart', async () => {
    const { only } = await withOnlyAccount(usageLimitReached({ resetsInSeconds: 600 }));
    const asked = () => only.at.received.filter(({ path }) => path.endsWith('/codex/responses')).length;
    expect((await gateway.ask()).status).toBe(429);
    await gateway.restart();
    const response = await gateway.ask();
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { type: 'usage_limit_reached' } });
    expect(asked()).toBe(1);
  });
});

describe('throttled: a 429 that does not say why', () => {
  test.each(['error', 'detail'] as const)(
    'in the shape "%s": the second answers, the first cools for a moment',
    async (shape) => {
      const result = await withSecondAccount(codeless429({ shape }));
      expectSecondAnswered(result);
      expect(result.outcomes).toEqual(['throttled', 'ok']);
      const availability = await gateway.availability(result.first.id);
      expect(['cooling', 'available']).toContain(availability.state);
      if (availability.state === 'cooling') expect(Date.parse(availability.until) - Date.now()).toBeLessThan(1_100);
    },
  );

  test('the only account is asked again after a short wait, then the client gets 429 with Retry-After', async () => {
    const { status, error, headers, outcomes } = await withOnlyAccount(codeless429({ shape: 'error' }));
    expect(status).toBe(429);
    expect(error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(outcomes?.length).toBeGreaterThan(1);
    expect(new Set(outcomes)).toEqual(new Set(['throttled']));
  });

  test('the only account answers once it has cooled', async () => {
    await start();
    gateway.pool[0]?.at.next(codeless429({ shape: 'error' }));
    gateway.pool[0]?.at.always(textAnswer({ text: HELLO }));
    const result = await askOnce();
    expect(textIn(result.events)).toBe(HELLO);
    expect(result.outcomes).toEqual(['throttled', 'ok']);
  });
});

describe('access-token-refused', () => {
  test('it is refreshed and the same account answers', async () => {
    await start({ accounts: 2 });
    const [first] = gateway.pool as [Pooled];
    first.at.always(textAnswer({ text: HELLO }));
    first.at.expireAccessToken();
    const result = await askOnce();
    expect(textIn(result.events)).toBe(HELLO);
    expect(result.completed).toMatchObject({ status: '200', accountId: first.id });
    expect(result.outcomes).toEqual(['unauthorized', 'ok']);
    expect(gateway.events('TokensRefreshed')).toHaveLength(1);
    expect(await gateway.availability(first.id)).toMatchObject({ state: 'available' });
  });
});

describe('refresh-token-refused', () => {
  const breakFirst = async (accounts: number) => {
    await start({ accounts });
    const [first, second] = gateway.pool as [Pooled, Pooled | undefined];
    second?.at.always(textAnswer({ text: HELLO }));
    first.at.expireAccessToken();
    first.at.token = { status: 401, error: 'refresh_token_reused' };
    return { first, second, ...(await askOnce()) };
  };

  test('the second account answers and the first is deactivated with a reason', async () => {
    const result = await breakFirst(2);
    expectSecondAnswered(result as Failed);
    expect(await gateway.availability(result.first.id)).toMatchObject({ state: 'deactivated' });
    const [deactivated] = gateway.events('AccountDeactivated');
    expect(deactivated?.data).toMatchObject({ accountId: result.first.id, code: 'refresh_token_reused' });
    expect(deactivated?.data.reason).toMatch(/refresh token/i);
  });

  test('without another account the client gets 503 no_accounts', async () => {
    const { status, error } = await breakFirst(1);
    expect(status).toBe(503);
    expect(error).toMatchObject({ code: 'no_accounts', type: 'server_error' });
  });
});
