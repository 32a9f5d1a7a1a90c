import { describe, expect, test } from 'vitest';
import type { SimulatedAccount } from '../../../../test/support/provider/account.ts';
import type { AccountId } from '../../../domain/core/brands.ts';
import { subjects } from '../../../state/fold/subjects.ts';
import { anAccountEach } from '../../accountStage.support.ts';
import type { TokenEndpoint } from '../../client/tokenEndpoint.ts';
import { because, type Stage } from '../../stage.support.ts';

let stage: Stage;
let at: SimulatedAccount;
let id: AccountId;

const { tokenCalls, statusOf, current } = anAccountEach((account) => {
  ({ stage, at, id } = account);
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
