import type { Decider } from '../core/decider.ts';
import { refuse } from '../core/refusal.ts';
import { type FirewallEvent, IpAllowed, IpRevoked } from './events.ts';
import { parseIp } from './ipAddress.ts';
import { evolve, type Firewall, initialState } from './state.ts';

export type FirewallCommand = { type: 'AllowIp'; ip: string } | { type: 'RevokeIp'; ip: string };

/** @throws Refusal `invalid_ip` | `ip_exists` | `ip_not_found` */
export function decide(command: FirewallCommand, firewall: Firewall): FirewallEvent[] {
  const ip = parseIp(command.ip) ?? refuse('invalid_ip', { given: command.ip });
  switch (command.type) {
    case 'AllowIp':
      return firewall.has(ip) ? refuse('ip_exists', { ip }) : [IpAllowed({ ip })];
    case 'RevokeIp':
      return firewall.has(ip) ? [IpRevoked({ ip })] : refuse('ip_not_found', { ip });
  }
}

export const firewall: Decider<Firewall, FirewallCommand, FirewallEvent> = { decide, evolve, initialState };
