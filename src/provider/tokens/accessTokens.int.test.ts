import { describe, expect, test, vi } from 'vitest';
import type { SimulatedAccount } from '../../../test/support/provider/account.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { accountForEachTest } from '../accountFixture.support.ts';
import { because, HOUR, MINUTE, type ProviderFixture } from '../providerFixture.support.ts';

let fixture: ProviderFixture;
let at: SimulatedAccount;
let id: AccountId;

const { tokenCalls, statusOf, current } = accountForEachTest((account) => {
  ({ fixture, at, id } = account);
});

describe('headers of an account', () => {
  test('contain its token and its id at the provider', () =>
    expect(fixture.node.tokens.headersFor(id)).toEqual({ authorization: current(), 'chatgpt-account-id': at.id }));

  test.each([
    ['an account without an id at the provider', { accountId: 'email_0123456789ab', upstreamAccountId: null }],
    ['an id derived from an e-mail address', { accountId: 'email_0123456789ab', upstreamAccountId: 'anything' }],
    ['a made-up id', { accountId: 'local_0123456789ab', upstreamAccountId: 'local_0123456789ab' }],
  ])('contain only the token for %s', async (_name, changes) => {
    const accountId = await fixture.importAccount(at, changes as object);
    expect(fixture.node.tokens.headersFor(accountId)).toEqual({ authorization: current() });
  });

  test('exist until one minute before the token expires', () => {
    const expiresAt = fixture.node.hot.state.tokens.get(id)?.tokens?.accessExpiresAt ?? 0;
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime(expiresAt - MINUTE);
      expect(fixture.node.tokens.headersFor(id)).toBeDefined();
      vi.setSystemTime(expiresAt - MINUTE + 1);
      expect(fixture.node.tokens.headersFor(id)).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  test('exist for a token without an expiry until the provider refuses it', async () => {
    const tokens = fixture.node.hot.state.tokens.get(id)?.tokens;
    if (!tokens) throw new Error('no tokens');
    await fixture.importAccount(at, { tokens: { ...tokens, accessExpiresAt: null } });
    fixture.advance(365 * 24 * HOUR);
    expect(fixture.node.tokens.headersFor(id)).toBeDefined();
  });

  test('are decrypted once for many requests', () => {
    const open = vi.spyOn(fixture.vault, 'open');
    for (let request = 0; request < 100; request++) fixture.node.tokens.headersFor(id);
    expect(open).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['a token', 'token\r\nx-injected: 1', {}],
    ['an id', 'token', { upstreamAccountId: 'id\nx-injected: 1' }],
  ])('are undefined for %s with a line break, which is reported', async (_what, secret, changes) => {
    const tokens = fixture.node.hot.state.tokens.get(id)?.tokens;
    if (!tokens) throw new Error('no tokens');
    const access = fixture.vault.seal(fixture.vault.keyIdOf(tokens.access), secret);
    await fixture.importAccount(at, { ...changes, tokens: { ...tokens, access } });
    expect(fixture.node.tokens.headersFor(id)).toBeUndefined();
    expect(fixture.reports).toEqual([expect.stringContaining('sign in again')]);
  });

  test('are undefined for an unknown account', () =>
    expect(fixture.node.tokens.headersFor('unknown' as AccountId)).toBeUndefined());

  test('are undefined for a deleted account', async () => {
    fixture.node.tokens.headersFor(id);
    await fixture.node.handle(subjects.account, id, { type: 'DeleteAccount', accountId: id }, because);
    expect(fixture.node.tokens.headersFor(id)).toBeUndefined();
  });

  test('contain imported tokens immediately', async () => {
    fixture.node.tokens.headersFor(id);
    at.signIn();
    await fixture.importAccount(at);
    expect(fixture.node.tokens.headersFor(id)?.authorization).toBe(current());
  });

  test('are undefined for tokens that cannot be decrypted, which is reported once', async () => {
    await fixture.vault.destroy(id);
    for (let request = 0; request < 3; request++) {
      expect(fixture.node.tokens.headersFor(id)).toBeUndefined();
      expect(await fixture.node.tokens.refresh(id, 'expired')).toBe('transient');
    }
    expect(tokenCalls()).toBe(0);
    expect(statusOf()).toBe('active');
    expect(fixture.reports).toEqual([expect.stringContaining(`account ${id} cannot be used`)]);
  });
});
