import type { Got } from 'got';
import type { AccountId } from '../../domain/core/brands.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { AccessTokens } from '../tokens/accessTokens.ts';

export interface AccountAnswer {
  readonly status: number;
  readonly body: string;
}

export interface AccountGetOptions {
  readonly hot: HotRunner;
  readonly tokens: Pick<AccessTokens, 'headersFor' | 'refresh'>;
  readonly client: Got;
  /** A new UUID. */
  readonly newId: () => string;
}

/**
 * Asks the provider's control plane for an account: with tokens that are refreshed when they have run out, and once more
 * when they are refused.
 * @returns undefined when nobody could be asked: whoever refreshes tokens has reported why
 * @throws RequestError when there is no answer
 */
export type AccountGet = (accountId: AccountId, url: string, signal: AbortSignal) => Promise<AccountAnswer | undefined>;

export function createAccountGet({ hot, tokens, client, newId }: AccountGetOptions): AccountGet {
  return async (accountId, url, signal) => {
    let mayRefresh = true;
    if (!tokens.headersFor(accountId)) {
      await tokens.refresh(accountId, 'expired');
      mayRefresh = false;
    }
    const answer = await ask(accountId, url, signal);
    if (answer?.status !== 401 || !mayRefresh) return answer;
    const result = await tokens.refresh(accountId, 'unauthorized', answer.authorization);
    return result === 'refreshed' || result === 'already' ? ask(accountId, url, signal) : undefined;
  };

  async function ask(accountId: AccountId, url: string, signal: AbortSignal) {
    const headers = tokens.headersFor(accountId);
    const account = hot.state.accounts.get(accountId);
    if (!headers || !account || account.status === 'deactivated' || signal.aborted) return undefined;
    const { statusCode, body } = await client.get(url, { headers: { ...headers, 'x-request-id': newId() }, signal });
    return { status: statusCode, body, authorization: headers.authorization };
  }
}
