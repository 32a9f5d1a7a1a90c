import { describe, expect, test } from 'vitest';
import type { SimulatedAccount } from '../../../../test/support/provider/account.ts';
import { unsignedJwt } from '../../../../test/support/provider/jwt.ts';
import { json } from '../../../../test/support/provider/scripts.ts';
import type { AccountId } from '../../../domain/core/brands.ts';
import { accountForEachTest, times } from '../../accountFixture.support.ts';
import type { TokenEndpoint } from '../../client/tokenEndpoint.ts';
import { HOUR, type ProviderFixture, TOKEN, USAGE } from '../../providerFixture.support.ts';

let fixture: ProviderFixture;
let at: SimulatedAccount;
let id: AccountId;

const { tokenCalls, current } = accountForEachTest((account) => {
  ({ fixture, at, id } = account);
});
const tokenRequests = () => at.received.filter(({ path }) => path === TOKEN);

/** Sends a request as the account, like the proxy. */
async function providerAccepts(): Promise<boolean> {
  const headers = fixture.node.tokens.headersFor(id);
  const response = await fetch(`${fixture.provider.url}${USAGE}`, {
    headers: { ...headers } as Record<string, string>,
  });
  await response.body?.cancel();
  return response.ok;
}

describe('a refresh', () => {
  test('access-token-refused: replaces the tokens after a 401', async () => {
    at.expireAccessToken();
    const used = fixture.node.tokens.headersFor(id)?.authorization;
    expect(await providerAccepts()).toBe(false);
    expect(await fixture.node.tokens.refresh(id, 'unauthorized', used)).toBe('refreshed');
    expect(fixture.node.tokens.headersFor(id)?.authorization).toBe(current());
    expect(await providerAccepts()).toBe(true);
  });

  test("sends the same request as the provider's own client", async () => {
    const { refreshToken } = at.tokens.current();
    await fixture.node.tokens.refresh(id, 'unauthorized');
    expect(tokenRequests().map(({ method, json }) => ({ method, json }))).toEqual([
      {
        method: 'POST',
        json: {
          grant_type: 'refresh_token',
          client_id: 'app_EMoamEEZ73f0CkXaXp7hrann',
          refresh_token: refreshToken,
          scope: 'openid profile email',
        },
      },
    ]);
  });

  test('access-token-expired: is one call for twenty requests', async () => {
    fixture.advance(HOUR);
    expect(fixture.node.tokens.headersFor(id)).toBeUndefined();
    const results = await times(20, () => fixture.node.tokens.refresh(id, 'expired'));
    expect(results).toEqual(Array(20).fill('refreshed'));
    expect(tokenCalls()).toBe(1);
    expect(await fixture.events(id, 'TokenRefreshClaimed', 'TokensRefreshed')).toHaveLength(2);
    expect(await fixture.node.tokens.refresh(id, 'expired')).toBe('already');
    expect(tokenCalls()).toBe(1);
  });

  test('access-token-expired: is one call for two nodes over one log', async () => {
    const other = await fixture.startNode();
    fixture.advance(HOUR);
    const [first, second] = await Promise.all([
      times(10, () => fixture.node.tokens.refresh(id, 'expired')),
      times(10, () => other.tokens.refresh(id, 'expired')),
    ]);
    expect(new Set([...first, ...second])).toEqual(new Set(['refreshed', 'already']));
    expect(tokenCalls()).toBe(1);
    expect(fixture.node.tokens.headersFor(id)?.authorization).toBe(current());
    expect(other.tokens.headersFor(id)?.authorization).toBe(current());
  });

  test('access-token-expired: is one call for each race of three nodes', async () => {
    const nodes = [fixture.node, await fixture.startNode(), await fixture.startNode()];
    for (let round = 1; round <= 10; round++) {
      fixture.advance(HOUR);
      const results = await Promise.all(nodes.map(({ tokens }) => tokens.refresh(id, 'expired')));
      expect(results.toSorted()).toEqual(['already', 'already', 'refreshed']);
      expect(tokenCalls()).toBe(round);
    }
    expect(await fixture.events(id, 'TokenRefreshClaimed')).toHaveLength(10);
  });

  test('is claimed in the log before the provider is called', async () => {
    const seen: string[] = [];
    const endpoint: TokenEndpoint = {
      async refresh() {
        const events = await fixture.events(id, 'TokenRefreshClaimed', 'TokensRefreshed');
        seen.push(...events.map(({ type }) => type));
        return { kind: 'transient', code: 'enough' };
      },
    };
    const { tokens } = await fixture.startNode({ endpoint });
    await tokens.refresh(id, 'unauthorized');
    expect(seen).toEqual(['TokenRefreshClaimed']);
  });

  test('is in the log before the new tokens are used', async () => {
    const before = current();
    let shownWhileAppending: string | undefined;
    fixture.onAppend('TokensRefreshed', (append) => {
      shownWhileAppending = fixture.node.tokens.headersFor(id)?.authorization;
      return append();
    });
    await fixture.node.tokens.refresh(id, 'unauthorized');
    expect(shownWhileAppending).toBe(before);
    expect(fixture.node.tokens.headersFor(id)?.authorization).toBe(current());
    expect(current()).not.toBe(before);
  });

  test('is skipped for a request whose token has been replaced since', async () => {
    const used = fixture.node.tokens.headersFor(id)?.authorization;
    expect(await fixture.node.tokens.refresh(id, 'unauthorized', used)).toBe('refreshed');
    expect(await fixture.node.tokens.refresh(id, 'unauthorized', used)).toBe('already');
    expect(tokenCalls()).toBe(1);
  });

  test('is skipped for a valid token that a request considers expired', async () => {
    expect(await fixture.node.tokens.refresh(id, 'expired')).toBe('already');
    expect(tokenCalls()).toBe(0);
  });

  test("seals the new tokens with the account's data key", async () => {
    await fixture.node.tokens.refresh(id, 'unauthorized');
    const tokens = fixture.node.hot.state.tokens.get(id)?.tokens;
    if (!tokens) throw new Error('no tokens');
    const { accessToken, refreshToken, idToken } = at.tokens.current();
    expect([tokens.access, tokens.refresh, tokens.idToken].map(fixture.vault.open)).toEqual([
      accessToken,
      refreshToken,
      idToken,
    ]);
    await fixture.vault.destroy(id);
    for (const sealed of [tokens.access, tokens.refresh, tokens.idToken])
      expect(() => fixture.vault.open(sealed)).toThrow();
  });

  test('keeps the old refresh and id tokens if the response has none', async () => {
    const before = fixture.node.hot.state.tokens.get(id)?.tokens;
    const access = unsignedJwt({ exp: Math.floor(fixture.now() / 1_000) + 7_200 });
    at.token = json(200, { access_token: access });
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
    expect(fixture.node.tokens.headersFor(id)?.authorization).toBe(`Bearer ${access}`);
    expect(fixture.node.hot.state.tokens.get(id)?.tokens).toMatchObject({
      refresh: before?.refresh,
      idToken: before?.idToken,
    });
  });

  test('records the plan in the new id token', async () => {
    at.plan = 'Pro';
    await fixture.node.tokens.refresh(id, 'unauthorized');
    expect(fixture.node.hot.state.accounts.get(id)?.planType).toBe('pro');
    expect(await fixture.events(id, 'AccountPlanChanged')).toMatchObject([{ data: { from: 'plus', to: 'pro' } }]);
  });

  test('fails permanently for an unknown account', async () =>
    expect(await fixture.node.tokens.refresh('unknown' as AccountId, 'expired')).toBe('permanent'));
});
