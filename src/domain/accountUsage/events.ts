import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema } from '../core/schema.ts';
import { accountIdSchema, instantSchema } from '../core/schemas.ts';

/** One usage window as the provider reported it; percents are whole, and may exceed 100. */
export const usageWindowSchema = schema((z) =>
  z.object({
    usedPercent: z.int().min(0),
    /** Null when the provider gave neither a reset time nor a delay. */
    resetAt: instantSchema(z).nullable(),
    windowMinutes: z.int().min(1).nullable(),
  }),
);
export type UsageWindow = Infer<typeof usageWindowSchema>;

/** The usage of an account at one moment; null for what the provider did not report. */
export const usageSampleSchema = schema((z) =>
  z.object({
    primary: usageWindowSchema(z).nullable(),
    secondary: usageWindowSchema(z).nullable(),
    credits: z.object({ hasCredits: z.boolean(), isUnlimited: z.boolean(), balance: z.string().nullable() }).nullable(),
  }),
);
export type UsageSample = Infer<typeof usageSampleSchema>;

export const AccountUsageObserved = event('AccountUsageObserved', {
  version: 1,
  data: (z) => usageSampleSchema(z).extend({ accountId: accountIdSchema(z) }),
  describe: ({ accountId, primary, secondary }) =>
    `account ${accountId} has used ${shown(primary)} of its primary and ${shown(secondary)} of its secondary window`,
});

const shown = (window: UsageWindow | null) => (window ? `${window.usedPercent} %` : 'an unknown part');

export type AccountUsageEvent = EventOf<typeof AccountUsageObserved>;
