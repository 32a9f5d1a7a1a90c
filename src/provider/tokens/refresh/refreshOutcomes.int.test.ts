import { describe, expect, test } from 'vitest';
import type { SimulatedAccount } from '../../../../test/support/provider/account.ts';
import type { AccountId } from '../../../domain/core/brands.ts';
import { subjects } from '../../../state/fold/subjects.ts';
import { accountForEachTest } from '../../accountFixture.support.ts';
import type { TokenEndpoint } from '../../client/tokenEndpoint.ts';
import { because, type ProviderFixture } from '../../providerFixture.support.ts';

let fixture: ProviderFixture;
let at: SimulatedAccount;
let id: AccountId;

const { tokenCalls, statusOf, current } = accountForEachTest((account) => {
  ({ fixture, at, id } = account);
});

describe('while the provider responds', () => {
  /** Starts a refresh whose response arrives after `meanwhile`. */
  async function refreshWhile(meanwhile: () => Promise<unknown>) {
    let respond = () => {};
    const called = Promise.withResolvers<void>();
    const endpoint: TokenEndpoint = {
      refresh: (refreshToken) =>
        new Promise((resolve) => {
          const granted = at.tokens.refresh(refreshToken);
          if (typeof granted === 'string') throw new Error(granted);
          const { accessToken: access, refreshToken: refresh, idToken } = granted;
          respond = () => resolve({ kind: 'tokens', access, refresh, idToken });
          called.resolve();
        }),
    };
    const node = await fixture.startNode({ endpoint });
    const result = node.tokens.refresh(id, 'unauthorized');
    await called.promise;
    await meanwhile();
    respond();
    return { result: await result, tokens: node.tokens };
  }

  test('imported tokens are not overwritten', async () => {
    const { result, tokens } = await refreshWhile(async () => {
      at.signIn();
      await fixture.importAccount(at);
    });
    expect(result).toBe('already');
    expect(tokens.headersFor(id)?.authorization).toBe(current());
    expect(await fixture.events(id, 'TokensRefreshed')).toEqual([]);
  });

  test('a deleted account stays deleted', async () => {
    const { result } = await refreshWhile(async () => {
      await fixture.node.handle(subjects.account, id, { type: 'DeleteAccount', accountId: id }, because);
      await fixture.vault.destroy(id);
    });
    expect(result).toBe('permanent');
    expect(fixture.node.hot.state.accounts.has(id)).toBe(false);
    expect(fixture.reports).toEqual([]);
  });

  test('a paused account gets its new tokens', async () => {
    const pause = { type: 'PauseAccount', accountId: id } as const;
    const { result } = await refreshWhile(() => fixture.node.handle(subjects.account, id, pause, because));
    expect(result).toBe('refreshed');
    expect(statusOf()).toBe('paused');
  });

  test('another node waits for the result', async () => {
    let otherResult: Promise<string> | undefined;
    const { result } = await refreshWhile(async () => {
      otherResult = fixture.node.tokens.refresh(id, 'unauthorized');
    });
    expect(result).toBe('refreshed');
    expect(await otherResult).toBe('already');
    expect(tokenCalls()).toBe(0);
  });
});

describe('when the log or a node fails', () => {
  test('the provider is not called without a claim in the log', async () => {
    fixture.onAppend('TokenRefreshClaimed', async () => ({ kind: 'rejected', reason: 'the disk is full' }));
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('transient');
    expect(tokenCalls()).toBe(0);
    fixture.advance(5_000);
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
  });

  test('new tokens are kept until the log accepts them', async () => {
    const reject = async () => ({ kind: 'rejected', reason: 'the disk is full' }) as const;
    fixture.onAppend('TokensRefreshed', reject, reject, reject);
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
    expect(fixture.node.tokens.headersFor(id)?.authorization).toBe(current());
    expect(tokenCalls()).toBe(1);
  });

  test('an append with an unknown outcome is repeated without a duplicate', async () => {
    fixture.onAppend('TokensRefreshed', async (append) => {
      await append();
      return { kind: 'unknown', error: new Error('the connection was cut') };
    });
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
    expect(await fixture.events(id, 'TokensRefreshed')).toHaveLength(1);
    expect(tokenCalls()).toBe(1);
  });

  test('the claim of a dead node is honoured until it expires', async () => {
    const dead = await fixture.startNode({ skewMs: -59_800 });
    const claim = { type: 'ClaimRefresh', accountId: id, claimId: crypto.randomUUID() } as const;
    await dead.handle(subjects.accountTokens, id, claim, because);
    const startedAt = fixture.now();
    expect(await fixture.node.tokens.refresh(id, 'unauthorized')).toBe('refreshed');
    expect(fixture.now() - startedAt).toBeGreaterThan(100);
    expect(tokenCalls()).toBe(1);
  });

  test('a stop waits for refreshes in flight', async () => {
    const node = await fixture.startNode();
    at.token = { delayMs: 50 };
    const result = node.tokens.refresh(id, 'unauthorized');
    await fixture.provider.until(() => tokenCalls() === 1);
    await node.tokens.stop();
    expect(await fixture.events(id, 'TokensRefreshed')).toHaveLength(1);
    expect(await result).toBe('refreshed');
    expect(await node.tokens.refresh(id, 'unauthorized')).toBe('transient');
    expect(tokenCalls()).toBe(1);
  });
});
