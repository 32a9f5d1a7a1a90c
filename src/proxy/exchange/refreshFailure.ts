import type { RefreshResult } from '../../provider/tokens/refresh/tokenRefreshOptions.ts';
import type { Failure } from '../providerResponse/failure.ts';

const PROXY_FAILED: Failure = {
  kind: 'proxyFailed',
  code: 'token_refresh',
  problem: 'failed when the tokens of the account were refreshed',
};

/** How an attempt failed whose account got no valid token. @param result of the refresh */
export function refreshFailure(result: RefreshResult): Failure {
  if (result === 'proxyFailed') return PROXY_FAILED;
  if (result === 'outOfDescriptors') return { kind: 'outOfDescriptors' };
  return { kind: 'refreshFailed', isPermanent: result === 'permanent' };
}
