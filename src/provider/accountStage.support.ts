import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { SimulatedAccount } from '../../test/support/provider/account.ts';
import type { AccountId } from '../domain/core/brands.ts';
import { type Stage, setStage, TOKEN } from './stage.support.ts';

export interface AccountOnStage {
  readonly stage: Stage;
  /** The account at the provider. */
  readonly at: SimulatedAccount;
  /** The account here. */
  readonly id: AccountId;
}

/**
 * One stage for all tests of a file, with an account of its own for each, signed in for an hour.
 * @returns what is asked of the account most often
 */
export function anAccountEach(begin: (account: AccountOnStage) => void) {
  let account: AccountOnStage;
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage();
  });
  beforeEach(async () => {
    stage.reports.length = 0;
    const at = stage.provider.addAccount({ accessExpiresInSeconds: 3_600 });
    account = { stage, at, id: await stage.importAccount(at) };
    begin(account);
  });
  afterAll(() => stage.close());

  return {
    /** How often the provider was asked for new tokens. */
    tokenCalls: () => account.at.received.filter(({ path }) => path === TOKEN).length,
    statusOf: () => stage.node.hot.state.accounts.get(account.id)?.status,
    /** What a request carries that the provider accepts. */
    current: () => `Bearer ${account.at.tokens.current().accessToken}`,
  };
}

export const times = <Result>(count: number, run: () => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, run));
