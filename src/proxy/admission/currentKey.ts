import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { ProxyError } from '../errors/proxyError.ts';

/**
 * Reads the key again, because it may have changed while the request body arrived.
 * @throws ProxyError `invalid_api_key` when it was revoked
 */
export function currentKey({ apiKeys }: Pick<HotState, 'apiKeys'>, key: ApiKey | null): ApiKey | null {
  if (!key) return null;
  const current = apiKeys.get(key.id);
  if (!current?.isActive || current.hash !== key.hash) throw new ProxyError('invalid_api_key');
  return current;
}
