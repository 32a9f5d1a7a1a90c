import type { AccountId } from '../../domain/core/brands.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { ProviderClient } from '../client/providerClient.ts';
import type { AgentFor } from '../outgoingProxy/outgoingProxies.ts';
import type { AccessTokens } from './accessTokens.ts';

/** The provider's response to a request as an account. */
export interface AccountResponse {
  readonly status: number;
  readonly body: string;
}

export interface AuthenticatedGetOptions {
  readonly hot: HotRunner;
  readonly tokens: Pick<AccessTokens, 'headersFor' | 'refresh'>;
  readonly client: ProviderClient;
  readonly agentFor: AgentFor;
  /** A new UUID. */
  readonly newId: () => string;
}

/**
 * GETs a resource of the provider's control plane as an account. Refreshes expired tokens first, and refused ones once.
 * @returns undefined if the account has no usable tokens, which the token refresh has reported
 * @throws RequestError when there is no response
 */
export type AuthenticatedGet = (
  accountId: AccountId,
  url: string,
  signal: AbortSignal,
) => Promise<AccountResponse | undefined>;

/** Creates the GET, with these tokens and this HTTP client. */
export function createAuthenticatedGet({
  hot,
  tokens,
  client,
  agentFor,
  newId,
}: AuthenticatedGetOptions): AuthenticatedGet {
  return async (accountId, url, signal) => {
    let mayRefresh = true;
    if (!tokens.headersFor(accountId)) {
      await tokens.refresh(accountId, 'expired');
      mayRefresh = false;
    }
    const response = await get(accountId, url, signal);
    if (response?.status !== 401 || !mayRefresh) return response;
    const result = await tokens.refresh(accountId, 'unauthorized', response.authorization);
    return result === 'refreshed' || result === 'already' ? get(accountId, url, signal) : undefined;
  };

  async function get(accountId: AccountId, url: string, signal: AbortSignal) {
    const headers = tokens.headersFor(accountId);
    const account = hot.state.accounts.get(accountId);
    if (!headers || !account || account.status === 'deactivated' || signal.aborted) return undefined;
    const options = { headers: { ...headers, 'x-request-id': newId() }, signal, ...agentFor(url, accountId) };
    const { statusCode, body } = await (await client()).get(url, options);
    return { status: statusCode, body, authorization: headers.authorization };
  }
}
