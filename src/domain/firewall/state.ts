import type { Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { FirewallEvent } from './events.ts';
import type { IpAddress } from './ipAddress.ts';

interface Allowed {
  readonly allowedAt: Instant;
}

/** The allowlist of the proxy, with the time each address was added. An empty list allows every address. */
export type Firewall = ReadonlyMap<IpAddress, Allowed>;

export const initialState: Firewall = new Map();

export const evolve = (firewall: Firewall, event: Recorded<FirewallEvent>): Firewall =>
  changeInPlace(new Map(firewall), event);

/** As `evolve`, without the copy of a list that only the caller has. @returns the same map */
export function changeInPlace(
  firewall: Map<IpAddress, Allowed>,
  { type, data, time }: Recorded<FirewallEvent>,
): Map<IpAddress, Allowed> {
  switch (type) {
    case 'IpAllowed':
      return firewall.set(data.ip, { allowedAt: time });
    case 'IpRevoked':
      firewall.delete(data.ip);
      return firewall;
  }
}
