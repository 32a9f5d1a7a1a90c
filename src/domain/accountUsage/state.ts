import type { Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { AccountUsageEvent, UsageSample } from './events.ts';

/** Usage of an account: the last sample, and the limit that the provider reported when it refused a request. */
export interface AccountUsage {
  readonly sample: UsageSample | undefined;
  readonly observedAt: Instant | undefined;
  /** The provider refused a request until `until`; a later sample below 100 % lifts it early. */
  readonly limited: { readonly since: Instant; readonly until: Instant; readonly code: string } | undefined;
}

export const initialState: AccountUsage = { sample: undefined, observedAt: undefined, limited: undefined };

/** A limit that the provider reported in response to an attempt; derived from `RequestCompleted`. */
export interface LimitReported {
  readonly type: 'LimitReported';
  readonly since: Instant;
  readonly until: Instant;
  readonly code: string;
}

export function evolve(usage: AccountUsage, event: Recorded<AccountUsageEvent> | LimitReported): AccountUsage {
  switch (event.type) {
    case 'AccountUsageObserved': {
      const { primary, secondary, credits } = event.data;
      const observed = { sample: { primary, secondary, credits }, observedAt: event.time };
      const isLifted = usage.limited !== undefined && showsRoomAfter(usage.limited.since, observed);
      return { ...observed, limited: isLifted ? undefined : usage.limited };
    }
    case 'LimitReported': {
      // Attempts are recorded when their request ends; a newer limit or sample may have been recorded before.
      const isOutdated = usage.limited !== undefined && usage.limited.since > event.since;
      if (isOutdated || showsRoomAfter(event.since, usage)) return usage;
      return { ...usage, limited: { since: event.since, until: event.until, code: event.code } };
    }
  }
}

function showsRoomAfter(since: Instant, { sample, observedAt }: Pick<AccountUsage, 'sample' | 'observedAt'>): boolean {
  if (!sample || observedAt === undefined || observedAt <= since) return false;
  const windows = [sample.primary, sample.secondary].filter((window) => window !== null);
  return windows.length > 0 && windows.every(({ usedPercent }) => usedPercent < 100);
}
