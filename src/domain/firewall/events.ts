import { z } from 'zod';
import { type EventOf, event } from '../event.ts';
import type { IpAddress } from './ipAddress.ts';

const ip = z.string() as unknown as z.ZodType<IpAddress>;

export const IpAllowed = event('IpAllowed', {
  version: 1,
  data: z.object({ ip }),
  says: ({ ip }) => `${ip} may use the proxy`,
});

export const IpRevoked = event('IpRevoked', {
  version: 1,
  data: z.object({ ip }),
  says: ({ ip }) => `${ip} may no longer use the proxy`,
});

export type FirewallEvent = EventOf<typeof IpAllowed> | EventOf<typeof IpRevoked>;
