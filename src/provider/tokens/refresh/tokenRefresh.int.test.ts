import { describe, expect, test } from 'vitest';
import type { SimulatedAccount } from '../../../../test/support/provider/account.ts';
import { unsignedJwt } from '../../../../test/support/provider/jwt.ts';
import { json } from '../../../../test/support/provider/scripts.ts';
import type { AccountId } from '../../../domain/core/brands.ts';
import { anAccountEach, times } from '../../accountStage.support.ts';
import type { TokenEndpoint } from '../../client/tokenEndpoint.ts';
import { HOUR, type Stage, TOKEN, USAGE } from '../../stage.support.ts';

let stage: Stage;
let at: SimulatedAccount;
let id: AccountId;

const { tokenCalls, current } = anAccountEach((account) => {
  ({ stage, at, id } = account);
});
const tokenRequests = () => at.received.filter(({ path }) => path === TOKEN);

/** A request of the account as the proxy would send it. */
async function providerAccepts(): Promise<boolean> {
  const headers = stage.node.tokens.headersFor(id);
  const response = await fetch(`${stage.provider.url}${USAGE}`, { headers: { ...headers } as Record<string, string> });
  await response.body?.cancel();
  return response.ok;
}

describe('a refresh', () => {
  test('access-token-refused: after a 401 the same account continues with new tokens', async () => {
    at.expireAccessToken();
    const used = stage.node.tokens.headersFor(id)?.authorization;
    expect(await providerAccepts()).toBe(false);
    expect(await stage.node.tokens.refresh(id, 'unauthorized', used)).toBe('refreshed');
    expect(stage.node.tokens.headersFor(id)?.authorization).toBe(current());
    expect(await providerAccepts()).toBe(true);
  });

  test('says to the provider what its own client says', async () => {
    const { refreshToken } = at.tokens.current();
    await stage.node.tokens.refresh(id, 'unauthorized');
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

  test('access-token-expired: twenty requests that meet an expired token make one call', async () => {
    stage.advance(HOUR);
    expect(stage.node.tokens.headersFor(id)).toBeUndefined();
    const results = await times(20, () => stage.node.tokens.refresh(id, 'expired'));
    expect(results).toEqual(Array(20).fill('refreshed'));
    expect(tokenCalls()).toBe(1);
    expect(await stage.events(id, 'TokenRefreshClaimed', 'TokensRefreshed')).toHaveLength(2);
    expect(await stage.node.tokens.refresh(id, 'expired')).toBe('already');
    expect(tokenCalls()).toBe(1);
  });

  test('access-token-expired: two nodes over one log make one call', async () => {
    const other = await stage.startNode();
    stage.advance(HOUR);
    const [mine, theirs] = await Promise.all([
      times(10, () => stage.node.tokens.refresh(id, 'expired')),
      times(10, () => other.tokens.refresh(id, 'expired')),
    ]);
    expect(new Set([...mine, ...theirs])).toEqual(new Set(['refreshed', 'already']));
    expect(tokenCalls()).toBe(1);
    expect(stage.node.tokens.headersFor(id)?.authorization).toBe(current());
    expect(other.tokens.headersFor(id)?.authorization).toBe(current());
  });

  test('access-token-expired: however often three nodes race, each round is one call', async () => {
    const nodes = [stage.node, await stage.startNode(), await stage.startNode()];
    for (let round = 1; round <= 10; round++) {
      stage.advance(HOUR);
      const results = await Promise.all(nodes.map(({ tokens }) => tokens.refresh(id, 'expired')));
      expect(results.toSorted()).toEqual(['already', 'already', 'refreshed']);
      expect(tokenCalls()).toBe(round);
    }
    expect(await stage.events(id, 'TokenRefreshClaimed')).toHaveLength(10);
  });

  test('is claimed in the log before the provider is called', async () => {
    const seen: string[] = [];
    const endpoint: TokenEndpoint = {
      async refresh() {
        const events = await stage.events(id, 'TokenRefreshClaimed', 'TokensRefreshed');
        seen.push(...events.map(({ type }) => type));
        return { kind: 'transient', code: 'enough' };
      },
    };
    const { tokens } = await stage.startNode({ endpoint });
    await tokens.refresh(id, 'unauthorized');
    expect(seen).toEqual(['TokenRefreshClaimed']);
  });

  test('is in the log before anybody uses it', async () => {
    const before = current();
    let shownWhileAppending: string | undefined;
    stage.onAppend('TokensRefreshed', (append) => {
      shownWhileAppending = stage.node.tokens.headersFor(id)?.authorization;
      return append();
    });
    await stage.node.tokens.refresh(id, 'unauthorized');
    expect(shownWhileAppending).toBe(before);
    expect(stage.node.tokens.headersFor(id)?.authorization).toBe(current());
    expect(current()).not.toBe(before);
  });

  test('a request whose token was replaced meanwhile asks nobody', async () => {
    const used = stage.node.tokens.headersFor(id)?.authorization;
    expect(await stage.node.tokens.refresh(id, 'unauthorized', used)).toBe('refreshed');
    expect(await stage.node.tokens.refresh(id, 'unauthorized', used)).toBe('already');
    expect(tokenCalls()).toBe(1);
  });

  test('a token that is still good is not refreshed because somebody thought it expired', async () => {
    expect(await stage.node.tokens.refresh(id, 'expired')).toBe('already');
    expect(tokenCalls()).toBe(0);
  });

  test('seals the new tokens under the key that the account has', async () => {
    await stage.node.tokens.refresh(id, 'unauthorized');
    const tokens = stage.node.hot.state.tokens.get(id)?.tokens;
    if (!tokens) throw new Error('no tokens');
    const { accessToken, refreshToken, idToken } = at.tokens.current();
    expect([tokens.access, tokens.refresh, tokens.idToken].map(stage.vault.open)).toEqual([
      accessToken,
      refreshToken,
      idToken,
    ]);
    await stage.vault.destroy(id);
    for (const sealed of [tokens.access, tokens.refresh, tokens.idToken])
      expect(() => stage.vault.open(sealed)).toThrow();
  });

  test('an answer without refresh and id token leaves the old ones in place', async () => {
    const before = stage.node.hot.state.tokens.get(id)?.tokens;
    const access = unsignedJwt({ exp: Math.floor(stage.now() / 1_000) + 7_200 });
    at.token = json(200, { access_token: access });
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
    expect(stage.node.tokens.headersFor(id)?.authorization).toBe(`Bearer ${access}`);
    expect(stage.node.hot.state.tokens.get(id)?.tokens).toMatchObject({
      refresh: before?.refresh,
      idToken: before?.idToken,
    });
  });

  test('a plan that the new id token names is recorded', async () => {
    at.plan = 'Pro';
    await stage.node.tokens.refresh(id, 'unauthorized');
    expect(stage.node.hot.state.accounts.get(id)?.planType).toBe('pro');
    expect(await stage.events(id, 'AccountPlanChanged')).toMatchObject([{ data: { from: 'plus', to: 'pro' } }]);
  });

  test('of an unknown account is in vain', async () =>
    expect(await stage.node.tokens.refresh('nobody' as AccountId, 'expired')).toBe('permanent'));
});
