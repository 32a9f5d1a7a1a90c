import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { ProxyError } from '../errors/proxyError.ts';

/**
 * The key may have been changed while the request arrived: what binds is what holds now.
 * @throws ProxyError `invalid_api_key` when it was revoked meanwhile
 */
export function currentKey({ apiKeys }: Pick<HotState, 'apiKeys'>, key: ApiKey | null): ApiKey | null {
  if (!key) return null;
  const current = apiKeys.get(key.id);
  if (!current?.isActive || current.hash !== key.hash) throw new ProxyError('invalid_api_key');
  return current;
}
