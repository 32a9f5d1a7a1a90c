import { z } from 'zod';
import { type EventOf, event } from '../event.ts';
import { accountIdSchema, instantSchema } from '../schemas.ts';

/** One usage window as the provider reported it; percents are whole, and may exceed 100. */
export const usageWindowSchema = z.object({
  usedPercent: z.int().min(0),
  /** Null when the provider gave neither a reset time nor a delay. */
  resetAt: instantSchema.nullable(),
  windowMinutes: z.int().min(1).nullable(),
});
export type UsageWindow = z.infer<typeof usageWindowSchema>;

export const usageSampleSchema = z.object({
  primary: usageWindowSchema.nullable(),
  secondary: usageWindowSchema.nullable(),
  credits: z.object({ hasCredits: z.boolean(), isUnlimited: z.boolean(), balance: z.string().nullable() }).nullable(),
});
export type UsageSample = z.infer<typeof usageSampleSchema>;

export const AccountUsageObserved = event('AccountUsageObserved', {
  version: 1,
  data: usageSampleSchema.extend({ accountId: accountIdSchema }),
  says: ({ accountId, primary, secondary }) =>
    `account ${accountId} has used ${shown(primary)} of its primary and ${shown(secondary)} of its secondary window`,
});

const shown = (window: UsageWindow | null) => (window ? `${window.usedPercent} %` : 'an unknown part');

export type AccountUsageEvent = EventOf<typeof AccountUsageObserved>;
