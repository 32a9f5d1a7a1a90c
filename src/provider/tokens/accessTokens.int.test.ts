import { describe, expect, test, vi } from 'vitest';
import type { SimulatedAccount } from '../../../test/support/provider/account.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { anAccountEach } from '../accountStage.support.ts';
import { because, HOUR, MINUTE, type Stage } from '../stage.support.ts';

let stage: Stage;
let at: SimulatedAccount;
let id: AccountId;

const { tokenCalls, statusOf, current } = anAccountEach((account) => {
  ({ stage, at, id } = account);
});

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
