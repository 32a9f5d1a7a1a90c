import type { Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { FirewallEvent } from './events.ts';
import type { IpAddress } from './ipAddress.ts';

/** Addresses that may use the proxy, each with the time it was added. Empty means everybody may. */
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
