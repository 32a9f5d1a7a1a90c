import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { SimulatedAccount } from '../../test/support/provider/account.ts';
import type { AccountId } from '../domain/core/brands.ts';
import { type ProviderFixture, startFixture, TOKEN } from './providerFixture.support.ts';

export interface AccountFixture {
  readonly fixture: ProviderFixture;
  /** The account at the provider. */
  readonly at: SimulatedAccount;
  /** Its id in svc. */
  readonly id: AccountId;
}

/**
 * Shares a provider fixture among the tests of a file and imports an account for each, with a token for an hour.
 * @param onStart called with the account of each test
 */
export function accountForEachTest(onStart: (account: AccountFixture) => void) {
  let account: AccountFixture;
  let fixture: ProviderFixture;
  beforeAll(async () => {
    fixture = await startFixture();
  });
  beforeEach(async () => {
    fixture.reports.length = 0;
    const at = fixture.provider.addAccount({ accessExpiresInSeconds: 3_600 });
    account = { fixture, at, id: await fixture.importAccount(at) };
    onStart(account);
  });
  afterAll(() => fixture.close());

  return {
    /** Number of token requests for the account. */
    tokenCalls: () => account.at.received.filter(({ path }) => path === TOKEN).length,
    statusOf: () => fixture.node.hot.state.accounts.get(account.id)?.status,
    /** The authorization header that the provider accepts. */
    current: () => `Bearer ${account.at.tokens.current().accessToken}`,
  };
}

export const times = <Result>(count: number, run: () => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, run));
