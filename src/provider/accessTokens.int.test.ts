import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SimulatedAccount } from '../../test/support/provider/account.ts';
import { unsignedJwt } from '../../test/support/provider/jwt.ts';
import { startProvider } from '../../test/support/provider/provider.ts';
import { json, resetConnection, whole } from '../../test/support/provider/scripts.ts';
import type { AccountId } from '../domain/brands.ts';
import { subjects } from '../projecting/subjects.ts';
import { because, HOUR, MINUTE, type Stage, setStage, TOKEN, USAGE } from './stage.test.ts';
import { createTokenEndpoint, type TokenEndpoint } from './tokenEndpoint.ts';

let stage: Stage;
let at: SimulatedAccount;
let id: AccountId;

beforeAll(async () => {
  stage = await setStage();
});
beforeEach(async () => {
  stage.reports.length = 0;
  at = stage.provider.addAccount({ accessExpiresInSeconds: 3_600 });
  id = await stage.importAccount(at);
});
afterAll(() => stage.close());

const tokenRequests = () => at.received.filter(({ path }) => path === TOKEN);
const tokenCalls = () => tokenRequests().length;
const statusOf = (accountId = id) => stage.node.hot.state.accounts.get(accountId)?.status;
const current = () => `Bearer ${at.tokens.current().accessToken}`;
const times = <Result>(count: number, run: () => Promise<Result>) => Promise.all(Array.from({ length: count }, run));

/** A request of the account as the proxy would send it. */
async function providerAccepts(): Promise<boolean> {
  const headers = stage.node.tokens.headersFor(id);
  const response = await fetch(`${stage.provider.url}${USAGE}`, { headers: { ...headers } as Record<string, string> });
  await response.body?.cancel();
  return response.ok;
}

describe('headers of an account', () => {
  test('name its token and its id at the provider', () =>
    expect(stage.node.tokens.headersFor(id)).toEqual({ authorization: current(), 'chatgpt-account-id': at.id }));

  test.each([
    ['an account that the provider gave no id', { accountId: 'email_0123456789ab', upstreamAccountId: null }],
    ['an id that we made from an e-mail', { accountId: 'email_0123456789ab', upstreamAccountId: 'anything' }],
    ['an id that we made up', { accountId: 'local_0123456789ab', upstreamAccountId: 'local_0123456789ab' }],
  ])('%s is not told to the provider', async (_name, changes) => {
    const made = await stage.importAccount(at, changes as object);
    expect(stage.node.tokens.headersFor(made)).toEqual({ authorization: current() });
  });

  test('are given while the token is good for another minute, and not a moment longer', () => {
    const expiresAt = stage.node.hot.state.tokens.get(id)?.tokens?.accessExpiresAt ?? 0;
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime(expiresAt - MINUTE);
      expect(stage.node.tokens.headersFor(id)).toBeDefined();
      vi.setSystemTime(expiresAt - MINUTE + 1);
      expect(stage.node.tokens.headersFor(id)).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  test('a token that does not say when it ends counts until the provider refuses it', async () => {
    const tokens = stage.node.hot.state.tokens.get(id)?.tokens;
    if (!tokens) throw new Error('no tokens');
    await stage.importAccount(at, { tokens: { ...tokens, accessExpiresAt: null } });
    stage.advance(365 * 24 * HOUR);
    expect(stage.node.tokens.headersFor(id)).toBeDefined();
  });

  test('are opened once for many requests', () => {
    const open = vi.spyOn(stage.vault, 'open');
    for (let request = 0; request < 100; request++) stage.node.tokens.headersFor(id);
    expect(open).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['a token', 'token\r\nx-injected: 1', {}],
    ['an id', 'token', { upstreamAccountId: 'id\nx-injected: 1' }],
  ])(
    '%s that would begin a header of its own is never sent, and the operator is told',
    async (_what, secret, changes) => {
      const tokens = stage.node.hot.state.tokens.get(id)?.tokens;
      if (!tokens) throw new Error('no tokens');
      const access = stage.vault.seal(stage.vault.keyIdOf(tokens.access), secret);
      await stage.importAccount(at, { ...changes, tokens: { ...tokens, access } });
      expect(stage.node.tokens.headersFor(id)).toBeUndefined();
      expect(stage.reports).toEqual([expect.stringContaining('sign in again')]);
    },
  );

  test('an unknown account has none', () =>
    expect(stage.node.tokens.headersFor('nobody' as AccountId)).toBeUndefined());

  test('a deleted account has none', async () => {
    stage.node.tokens.headersFor(id);
    await stage.node.handle(subjects.account, id, { type: 'DeleteAccount', accountId: id }, because);
    expect(stage.node.tokens.headersFor(id)).toBeUndefined();
  });

  test('an import of new tokens shows at once', async () => {
    stage.node.tokens.headersFor(id);
    at.signIn();
    await stage.importAccount(at);
    expect(stage.node.tokens.headersFor(id)?.authorization).toBe(current());
  });

  test('of tokens that cannot be opened there are none, which is told once', async () => {
    await stage.vault.destroy(id);
    for (let request = 0; request < 3; request++) {
      expect(stage.node.tokens.headersFor(id)).toBeUndefined();
      expect(await stage.node.tokens.refresh(id, 'expired')).toBe('transient');
    }
    expect(tokenCalls()).toBe(0);
    expect(statusOf()).toBe('active');
    expect(stage.reports).toEqual([expect.stringContaining(`${id} cannot be opened`)]);
  });
});

describe('a refresh', () => {
  test('F3: after a 401 the same account goes on with new tokens', async () => {
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

  test('F17: twenty requests that meet an expired token make one call', async () => {
    stage.advance(HOUR);
    expect(stage.node.tokens.headersFor(id)).toBeUndefined();
    const results = await times(20, () => stage.node.tokens.refresh(id, 'expired'));
    expect(results).toEqual(Array(20).fill('refreshed'));
    expect(tokenCalls()).toBe(1);
    expect(await stage.events(id, 'TokenRefreshClaimed', 'TokensRefreshed')).toHaveLength(2);
    expect(await stage.node.tokens.refresh(id, 'expired')).toBe('already');
    expect(tokenCalls()).toBe(1);
  });

  test('F17: two nodes over one log make one call', async () => {
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

  test('F17: however often three nodes race, each round is one call', async () => {
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

describe('a refusal for good', () => {
  test('F4: a refresh token that somebody else has used deactivates the account with a reason', async () => {
    at.tokens.refresh(at.tokens.current().refreshToken);
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
    expect(stage.node.hot.state.accounts.get(id)).toMatchObject({
      status: 'deactivated',
      deactivationReason: 'Refresh token was used by another program: sign in again, or import the account anew',
    });
    expect(await stage.events(id, 'TokenRefreshFailed', 'AccountDeactivated')).toMatchObject([
      { type: 'TokenRefreshFailed', data: { code: 'refresh_token_reused', isPermanent: true } },
      { type: 'AccountDeactivated', data: { code: 'refresh_token_reused' } },
    ]);
    expect(stage.node.tokens.isUsable(id)).toBe(false);
  });

  test.each([
    'refresh_token_expired',
    'refresh_token_reused',
    'refresh_token_invalidated',
    'account_suspended',
    'account_deleted',
    'invalid_grant',
    'token_invalidated',
    'token_expired',
    'app_session_terminated',
    'account_session_expired',
    'account_auth_invalidated',
    'account_deactivated',
    'invalid_refresh_token',
  ])('%s', async (error) => {
    at.token = { status: 401, error };
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
    expect(statusOf()).toBe('deactivated');
    expect(stage.node.hot.state.accounts.get(id)?.deactivationReason).toMatch(/^[A-Z].{15,}/);
  });

  test.each([
    ['error.code', { error: { code: 'invalid_grant' } }],
    ['error.error', { error: { error: 'invalid_grant' } }],
    ['error', { error: 'invalid_grant', error_description: 'Unknown or invalid refresh token.' }],
    ['error_code', { error_code: 'INVALID_GRANT' }],
    ['code', { code: 'invalid_grant' }],
  ])('is found in %s', async (_place, body) => {
    at.token = json(400, body);
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
  });

  test('the provider is not asked again', async () => {
    at.revoke();
    await times(20, () => stage.node.tokens.refresh(id, 'unauthorized'));
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
    expect(tokenCalls()).toBe(1);
    expect(await stage.events(id, 'AccountDeactivated')).toHaveLength(1);
  });

  test('the operator may have it tried again by reactivating the account', async () => {
    at.token = { status: 401, error: 'account_suspended' };
    await stage.node.tokens.refresh(id, 'unauthorized');
    at.token = 'rotate';
    await stage.node.handle(subjects.account, id, { type: 'ReactivateAccount', accountId: id }, because);
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
    expect(statusOf()).toBe('active');
  });

  test('a paused account stays paused and is not asked for again', async () => {
    await stage.node.handle(subjects.account, id, { type: 'PauseAccount', accountId: id }, because);
    at.revoke();
    for (let poll = 0; poll < 3; poll++) {
      expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
      stage.advance(MINUTE);
    }
    expect(statusOf()).toBe('paused');
    expect(tokenCalls()).toBe(1);
  });

  test('what was said of the old tokens is not held against those that an import brings meanwhile', async () => {
    at.revoke();
    stage.onAppend('AccountDeactivated', async (append) => {
      at.signIn();
      await stage.importAccount(at);
      return append();
    });
    await stage.node.tokens.refresh(id, 'unauthorized');
    expect(statusOf()).toBe('active');
    expect(stage.node.tokens.headersFor(id)?.authorization).toBe(current());
  });

  test('an account whose deactivation did not reach the log is deactivated at the next occasion', async () => {
    at.revoke();
    stage.onAppend('AccountDeactivated', async () => ({ kind: 'rejected', reason: 'the disk is full' }));
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
    expect(statusOf()).toBe('active');
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('permanent');
    expect(statusOf()).toBe('deactivated');
    expect(tokenCalls()).toBe(1);
  });

  test('is heard by the other nodes, which do not ask either', async () => {
    const other = await stage.startNode();
    at.token = { status: 401, error: 'refresh_token_expired' };
    const results = await Promise.all([
      stage.node.tokens.refresh(id, 'unauthorized'),
      other.tokens.refresh(id, 'unauthorized'),
    ]);
    expect(results).toEqual(['permanent', 'permanent']);
    expect(tokenCalls()).toBe(1);
  });
});

describe('F18: a failure that may pass', () => {
  test.each([
    ['500', { status: 500 }],
    ['503 with a code that would be for good', { status: 503, error: 'refresh_token_expired' }],
    ['429 with a code that would be for good', { status: 429, error: 'invalid_grant' }],
    ['408', { status: 408 }],
    ['an unknown code', { status: 400, error: 'unsupported_country' }],
    ['a torn line', resetConnection()],
    ['silence', 'hang'],
    ['HTML', whole(200, 'text/html', '<html>')],
    ['half of a JSON', whole(200, 'application/json', '{"access_token":"a')],
    ['no access token', json(200, { id_token: 'a' })],
    ['a token that would break a header', json(200, { access_token: 'a\r\nx-evil: 1' })],
    ['a redirect', whole(302, 'text/html', '', { headers: { location: '/elsewhere' } })],
  ] as const)('%s', async (_name, script) => {
    at.token = script;
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('transient');
    expect(statusOf()).toBe('active');
    expect(await stage.events(id, 'TokenRefreshFailed')).toMatchObject([{ data: { isPermanent: false } }]);
    expect(tokenCalls()).toBe(1);
    expect(stage.node.hot.state.tokens.get(id)?.claim).toBeUndefined();
  });

  test('a provider that is not there', async () => {
    const gone = await startProvider();
    await gone.close();
    const { tokens } = await stage.startNode({ endpoint: createTokenEndpoint({ authBaseUrl: gone.authUrl }) });
    expect(await tokens.refresh(id, 'unauthorized')).toBe('transient');
    expect(statusOf()).toBe('active');
  });

  test('is not repeated for five seconds, and then it is', async () => {
    at.token = { status: 500 };
    await stage.node.tokens.refresh(id, 'unauthorized');
    at.token = 'rotate';
    expect(await times(20, () => stage.node.tokens.refresh(id, 'unauthorized'))).toEqual(Array(20).fill('transient'));
    expect(tokenCalls()).toBe(1);
    stage.advance(5_000);
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
    expect(tokenCalls()).toBe(2);
  });

  test('is repeated at once when the clock was put back meanwhile', async () => {
    at.token = { status: 500 };
    await stage.node.tokens.refresh(id, 'unauthorized');
    at.token = 'rotate';
    stage.advance(-3_600_000);
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
  });

  test('an import of new tokens ends the wait', async () => {
    at.token = { status: 500 };
    await stage.node.tokens.refresh(id, 'unauthorized');
    at.token = 'rotate';
    at.signIn();
    await stage.importAccount(at);
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
  });

  test('is told once an hour, not once a request', async () => {
    at.token = { status: 500 };
    for (let request = 0; request < 5; request++) {
      await stage.node.tokens.refresh(id, 'unauthorized');
      stage.advance(10_000);
    }
    expect(stage.reports).toEqual([expect.stringContaining('could not be refreshed (server_error)')]);
  });

  test('an account with a good access token stays usable, one without does not until it may be tried again', async () => {
    at.token = { status: 500 };
    await stage.node.tokens.refresh(id, 'unauthorized');
    expect(stage.node.tokens.isUsable(id)).toBe(true);
    stage.advance(HOUR);
    expect(stage.node.tokens.isUsable(id)).toBe(true);
    await stage.node.tokens.refresh(id, 'expired');
    expect(stage.node.tokens.isUsable(id)).toBe(false);
    stage.advance(5_000);
    expect(stage.node.tokens.isUsable(id)).toBe(true);
  });

  test('a text in the place of a code does not get into the log', async () => {
    const { refreshToken } = at.tokens.current();
    at.token = json(400, { error: { code: `cannot use ${refreshToken}` } });
    await stage.node.tokens.refresh(id, 'unauthorized');
    expect(await stage.events(id, 'TokenRefreshFailed')).toMatchObject([{ data: { code: 'http_400' } }]);
  });
});

describe('what else happens while the provider answers', () => {
  /** Begins a refresh whose answer comes after `meanwhile`. */
  async function refreshWhile(meanwhile: () => Promise<unknown>) {
    let answer = () => {};
    const asked = Promise.withResolvers<void>();
    const endpoint: TokenEndpoint = {
      refresh: (refreshToken) =>
        new Promise((resolve) => {
          const granted = at.tokens.refresh(refreshToken);
          if (typeof granted === 'string') throw new Error(granted);
          const { accessToken: access, refreshToken: refresh, idToken } = granted;
          answer = () => resolve({ kind: 'tokens', access, refresh, idToken });
          asked.resolve();
        }),
    };
    const node = await stage.startNode({ endpoint });
    const result = node.tokens.refresh(id, 'unauthorized');
    await asked.promise;
    await meanwhile();
    answer();
    return { result: await result, tokens: node.tokens };
  }

  test('tokens that an import brought are not overwritten', async () => {
    const { result, tokens } = await refreshWhile(async () => {
      at.signIn();
      await stage.importAccount(at);
    });
    expect(result).toBe('already');
    expect(tokens.headersFor(id)?.authorization).toBe(current());
    expect(await stage.events(id, 'TokensRefreshed')).toEqual([]);
  });

  test('an account that is deleted stays deleted', async () => {
    const { result } = await refreshWhile(async () => {
      await stage.node.handle(subjects.account, id, { type: 'DeleteAccount', accountId: id }, because);
      await stage.vault.destroy(id);
    });
    expect(result).toBe('permanent');
    expect(stage.node.hot.state.accounts.has(id)).toBe(false);
    expect(stage.reports).toEqual([]);
  });

  test('an account that is paused keeps its new tokens', async () => {
    const pause = { type: 'PauseAccount', accountId: id } as const;
    const { result } = await refreshWhile(() => stage.node.handle(subjects.account, id, pause, because));
    expect(result).toBe('refreshed');
    expect(statusOf()).toBe('paused');
  });

  test('another node waits for the result instead of asking', async () => {
    let theirs: Promise<string> | undefined;
    const { result } = await refreshWhile(async () => {
      theirs = stage.node.tokens.refresh(id, 'unauthorized');
    });
    expect(result).toBe('refreshed');
    expect(await theirs).toBe('already');
    expect(tokenCalls()).toBe(0);
  });
});

describe('a log or a node that fails', () => {
  test('without a claim in the log the provider is not called', async () => {
    stage.onAppend('TokenRefreshClaimed', async () => ({ kind: 'rejected', reason: 'the disk is full' }));
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('transient');
    expect(tokenCalls()).toBe(0);
    stage.advance(5_000);
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
  });

  test('tokens that the log did not take are kept until it does: the old ones are spent', async () => {
    const away = async () => ({ kind: 'rejected', reason: 'the disk is full' }) as const;
    stage.onAppend('TokensRefreshed', away, away, away);
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
    expect(stage.node.tokens.headersFor(id)?.authorization).toBe(current());
    expect(tokenCalls()).toBe(1);
  });

  test('tokens whose append ended nobody knows how are there once', async () => {
    stage.onAppend('TokensRefreshed', async (append) => {
      await append();
      return { kind: 'unknown', error: new Error('the line was cut') };
    });
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
    expect(await stage.events(id, 'TokensRefreshed')).toHaveLength(1);
    expect(tokenCalls()).toBe(1);
  });

  test('the claim of a node that died holds until it expires, and then the next one asks', async () => {
    const dead = await stage.startNode({ skewMs: -59_800 });
    const claim = { type: 'ClaimRefresh', accountId: id, claimId: crypto.randomUUID() } as const;
    await dead.handle(subjects.accountTokens, id, claim, because);
    const begun = stage.now();
    expect(await stage.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
    expect(stage.now() - begun).toBeGreaterThan(100);
    expect(tokenCalls()).toBe(1);
  });

  test('a stop waits for the tokens that are on their way', async () => {
    const node = await stage.startNode();
    at.token = { delayMs: 50 };
    const result = node.tokens.refresh(id, 'unauthorized');
    await stage.provider.until(() => tokenCalls() === 1);
    await node.tokens.stop();
    expect(await stage.events(id, 'TokensRefreshed')).toHaveLength(1);
    expect(await result).toBe('refreshed');
    expect(await node.tokens.refresh(id, 'unauthorized')).toBe('transient');
    expect(tokenCalls()).toBe(1);
  });
});
