import type { ClientAddress } from '../../http/client/clientAddress.ts';
import type { ClientRequest } from '../../http/client/clientRequest.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { ProxyError } from '../errors/proxyError.ts';

export interface FirewallOptions {
  readonly hot: Pick<HotState, 'firewall'>;
  readonly clientAddress: ClientAddress;
}

/** Refuses clients that are not on the allowlist, if that has entries. @throws ProxyError `ip_forbidden` */
export const createFirewall =
  ({ hot, clientAddress }: FirewallOptions) =>
  (request: ClientRequest): void => {
    if (hot.firewall.size === 0) return;
    const address = clientAddress(request);
    if (!address || !hot.firewall.has(address)) throw new ProxyError('ip_forbidden', { address });
  };
