import type { z } from 'zod';
import { type EventOf, event } from '../core/event.ts';
import { schema } from '../core/schema.ts';
import type { IpAddress } from './ipAddress.ts';

const ip = schema((z) => z.string() as unknown as z.ZodType<IpAddress>);

export const IpAllowed = event('IpAllowed', {
  version: 1,
  data: (z) => z.object({ ip: ip(z) }),
  describe: ({ ip }) => `${ip} may use the proxy`,
});

export const IpRevoked = event('IpRevoked', {
  version: 1,
  data: (z) => z.object({ ip: ip(z) }),
  describe: ({ ip }) => `${ip} may no longer use the proxy`,
});

export type FirewallEvent = EventOf<typeof IpAllowed> | EventOf<typeof IpRevoked>;
