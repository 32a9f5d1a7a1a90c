import { z } from 'zod';
import { accountStatusSchema } from '../../domain/account/events.ts';
import { creditsOf, type PlanCredits } from '../../domain/account/planCredits.ts';
import type { Account } from '../../domain/account/state.ts';
import type { UsageWindow } from '../../domain/accountUsage/events.ts';
import { WINDOW_MINUTES } from '../../domain/accountUsage/windowMinutes.ts';
import { type Instant, iso, type Sealed } from '../../domain/core/brands.ts';
import { type AvailabilityState, availabilityOf } from '../../domain/routing/availability.ts';
import { expiryOf } from '../../provider/client/jwt.ts';
import { CannotOpen, type Vault } from '../../vault/vault.ts';
import type { View } from '../http/asOf.ts';

const time = z.iso.datetime().nullable();
const stored = z.object({ expires_at: time, state: z.string() });

const availabilityStateSchema = z.enum([
  'available',
  'paused',
  'deactivated',
  'rate_limited',
  'quota_exceeded',
  'cooling',
] satisfies AvailabilityState[]);

export const AccountResponse = z
  .object({
    account_id: z.string(),
    email: z.string(),
    display_name: z.string(),
    plan_type: z.string(),
    status: accountStatusSchema(z),
    usage: z.object({ primary_remaining_percent: z.number(), secondary_remaining_percent: z.number() }),
    reset_at_primary: time,
    reset_at_secondary: time,
    window_minutes_primary: z.int(),
    window_minutes_secondary: z.int(),
    capacity_credits_primary: z.number(),
    remaining_credits_primary: z.number(),
    capacity_credits_secondary: z.number(),
    remaining_credits_secondary: z.number(),
    last_refresh_at: time,
    usage_observed_at: time.describe('When the provider last said what is used; null: never yet'),
    deactivation_reason: z.string().nullable(),
    availability: z.object({ state: availabilityStateSchema, reason: z.string().nullable(), until: time }),
    auth: z.object({ access: stored, refresh: stored, id_token: stored }),
  })
  .meta({ id: 'Account' });

/** An account as clients see it (specification, "Account summary"; `availability` is our addition). */
export function accountSummary(account: Account, { hot, vault, overlay, now }: View) {
  const usage = hot.state.usage.get(account.id);
  const { primary, secondary } = usage?.sample ?? { primary: null, secondary: null };
  const credits = creditsOf(account.planType);
  const email = openedEmail(account, vault);
  const at = now();
  const { state, reason, until } = availabilityOf(account, usage, overlay?.cooling().get(account.id), at);
  const tokens = hot.state.tokens.get(account.id)?.tokens;
  return {
    account_id: account.id,
    email,
    display_name: opened(account.displayName, vault) ?? email,
    plan_type: account.planType,
    status: account.status,
    usage: { primary_remaining_percent: remaining(primary), secondary_remaining_percent: remaining(secondary) },
    reset_at_primary: isoOrNull(primary?.resetAt),
    reset_at_secondary: isoOrNull(secondary?.resetAt),
    window_minutes_primary: primary?.windowMinutes ?? WINDOW_MINUTES.primary,
    window_minutes_secondary: secondary?.windowMinutes ?? WINDOW_MINUTES.secondary,
    ...creditsLeft(credits, primary, secondary),
    last_refresh_at: isoOrNull(tokens?.refreshedAt),
    usage_observed_at: isoOrNull(usage?.observedAt),
    deactivation_reason: account.deactivationReason,
    availability: { state, reason, until: isoOrNull(until) },
    auth: {
      access: {
        expires_at: isoOrNull(tokens?.accessExpiresAt),
        state: tokens && (tokens.accessExpiresAt === null || tokens.accessExpiresAt > at) ? 'valid' : 'expired',
      },
      // The provider says nowhere how long a refresh token lives.
      refresh: { expires_at: null, state: tokens ? 'stored' : 'missing' },
      id_token: {
        expires_at: isoOrNull(expiryOf(opened(tokens?.idToken ?? null, vault) ?? '')),
        state: account.hasReadableIdToken ? 'parsed' : 'unknown',
      },
    },
  };
}

/** The e-mail; of an id token without one what the predecessor shows. */
export const openedEmail = ({ email }: Account, vault: Vault): string => opened(email, vault) ?? 'unknown@example.com';

/** One account whose data key is lost must not hide all the others. */
export function opened(sealed: Sealed | null, vault: Vault): string | null {
  if (sealed === null) return null;
  try {
    return vault.open(sealed);
  } catch (error) {
    if (error instanceof CannotOpen) return null;
    throw error;
  }
}

/** Before the first sample nothing is known to be used. */
export const remaining = (window: UsageWindow | null) => Math.max(0, 100 - (window?.usedPercent ?? 0));

const creditsLeft = (credits: PlanCredits, primary: UsageWindow | null, secondary: UsageWindow | null) => ({
  capacity_credits_primary: credits.primary,
  remaining_credits_primary: (credits.primary * remaining(primary)) / 100,
  capacity_credits_secondary: credits.secondary,
  remaining_credits_secondary: (credits.secondary * remaining(secondary)) / 100,
});

const isoOrNull = (at: Instant | null | undefined) => (at === null || at === undefined ? null : iso(at));
