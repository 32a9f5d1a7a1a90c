import { refuse } from '../../domain/core/refusal.ts';
import type { ClientKey } from '../../management/resources/receipts.ts';
import { type ApiKeyOptions, carriesKey, createKeyLookup } from '../../proxy/admission/apiKey.ts';
import { createFirewall, type FirewallOptions } from '../../proxy/admission/firewall.ts';
import { ProxyError } from '../../proxy/errors/proxyError.ts';

/**
 * The API key of a client of management, by the rules of the proxy: the allowlist holds, and a key that is revoked or has expired
 * is not valid. A key is also read while none is required, because a request may have been made with it before.
 */
export function createClientKey(options: ApiKeyOptions & FirewallOptions): ClientKey {
  const checkFirewall = createFirewall(options);
  const keyOf = createKeyLookup(options);
  return ({ req }) => {
    if (!carriesKey(req)) return undefined;
    try {
      checkFirewall(req);
      return keyOf(req);
    } catch (error) {
      if (error instanceof ProxyError) refuse(error.code, error.details);
      throw error;
    }
  };
}
