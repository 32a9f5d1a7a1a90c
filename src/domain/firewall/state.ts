import type { Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { FirewallEvent } from './events.ts';
import type { IpAddress } from './ipAddress.ts';

/** The allowlist of the proxy, with the time each address was added. An empty list allows every address. */
export type Firewall = ReadonlyMap<IpAddress, { readonly allowedAt: Instant }>;

export const initialState: Firewall = new Map();

export function evolve(firewall: Firewall, { type, data, time }: Recorded<FirewallEvent>): Firewall {
  switch (type) {
    case 'IpAllowed':
      return new Map(firewall).set(data.ip, { allowedAt: time });
    case 'IpRevoked': {
      const rest = new Map(firewall);
      rest.delete(data.ip);
      return rest;
    }
  }
}
