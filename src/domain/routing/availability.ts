import type { Account } from '../account/state.ts';
import type { UsageWindow } from '../accountUsage/events.ts';
import type { AccountUsage } from '../accountUsage/state.ts';
import { WINDOW_MINUTES } from '../accountUsage/windowMinutes.ts';
import { type CoolDown, isInForce } from '../coolDown/state.ts';
import { type Instant, instant } from '../core/brands.ts';

export type AvailabilityState = 'available' | 'paused' | 'deactivated' | 'rate_limited' | 'quota_exceeded' | 'cooling';

/** Whether an account can serve a request now, why not, and when that changes if it does by itself. */
export interface Availability {
  readonly state: AvailabilityState;
  readonly reason: string | null;
  readonly until: Instant | null;
}

const AVAILABLE: Availability = { state: 'available', reason: null, until: null };
const PAUSED: Availability = { state: 'paused', reason: 'paused by an operator', until: null };

/**
 * The single source of account availability: selection, overview counts, account pages and messages of refusals use it. Only
 * `paused` and `deactivated` last until an operator or an event ends them; the other states end by time.
 */
export function availabilityOf(
  account: Account,
  usage: AccountUsage | undefined,
  coolDown: CoolDown | undefined,
  now: Instant,
): Availability {
  if (account.status === 'paused') return PAUSED;
  if (account.status === 'deactivated') {
    return { state: 'deactivated', reason: account.deactivationReason, until: null };
  }
  if (usage) {
    const spent = spentWindow(usage, now);
    if (spent) return spent;
  }
  if (coolDown && isInForce(coolDown, now)) {
    return { state: 'cooling', reason: coolDown.cause, until: coolDown.until };
  }
  return AVAILABLE;
}

function spentWindow({ sample, observedAt, limited }: AccountUsage, now: Instant): Availability | undefined {
  const secondary = spentUntil(sample?.secondary, observedAt, WINDOW_MINUTES.secondary);
  const primary = spentUntil(sample?.primary, observedAt, WINDOW_MINUTES.primary);
  // The latest of them, because clients that retry earlier would be refused again.
  const until = instant(Math.max(secondary, primary, limited?.until ?? 0));
  if (secondary > now) return { state: 'quota_exceeded', reason: 'the secondary window is used up', until };
  if (primary > now) return { state: 'rate_limited', reason: 'the primary window is used up', until };
  if (limited && limited.until > now) {
    const state = QUOTA_CODES.has(limited.code) ? 'quota_exceeded' : 'rate_limited';
    return { state, reason: `the provider responded with ${limited.code}`, until };
  }
  return undefined;
}

const QUOTA_CODES: ReadonlySet<string> = new Set(['insufficient_quota', 'usage_not_included', 'quota_exceeded']);

/** When a used-up window resets; 0 if the window is not used up. */
function spentUntil(
  window: UsageWindow | null | undefined,
  observedAt: Instant | undefined,
  defaultMinutes: number,
): Instant {
  if (!window || window.usedPercent < 100 || observedAt === undefined) return instant(0);
  return window.resetAt ?? instant(observedAt + (window.windowMinutes ?? defaultMinutes) * 60_000);
}
