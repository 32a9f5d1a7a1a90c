import type { ClientAddress } from '../../http/client/clientAddress.ts';
import type { ClientRequest } from '../../http/client/clientRequest.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { ProxyError } from '../errors/proxyError.ts';

export interface FirewallOptions {
  readonly hot: Pick<HotState, 'firewall' | 'settings'>;
  readonly clientAddress: ClientAddress;
  /** Whether a client is known to run on this machine. */
  readonly isThisMachine: (request: ClientRequest) => boolean;
  /** The value of SVC_ALLOW_OPEN. */
  readonly allowsOpen: boolean;
}

/** Whether neither an allowlist nor API keys decide who may use the proxy. */
export const isUnrestricted = ({ firewall, settings }: FirewallOptions['hot']): boolean =>
  firewall.size === 0 && !settings.apiKeyAuthEnabled;

/**
 * Refuses clients that are not on the allowlist, if that has entries, and clients on other machines while it has none and no
 * API keys are required either (docs/decisions/0045-optional-keys-and-public-paths.md).
 * @throws ProxyError `ip_forbidden` | `remote_access_disabled`
 */
export const createFirewall =
  ({ hot, clientAddress, isThisMachine, allowsOpen }: FirewallOptions) =>
  (request: ClientRequest): void => {
    if (hot.firewall.size > 0) {
      const address = clientAddress(request);
      if (!address || !hot.firewall.has(address)) throw new ProxyError('ip_forbidden', { address });
    } else if (!allowsOpen && isUnrestricted(hot) && !isThisMachine(request)) {
      throw new ProxyError('remote_access_disabled', { address: clientAddress(request) });
    }
  };
