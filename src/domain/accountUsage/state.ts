import type { Instant } from '../brands.ts';
import type { Recorded } from '../event.ts';
import type { AccountUsageEvent, UsageSample } from './events.ts';

/** What we know of an account's windows: the last sample, and a stop the provider pronounced on a request. */
export interface AccountUsage {
  readonly sample: UsageSample | undefined;
  readonly observedAt: Instant | undefined;
  /** The provider refused a request until `until`; a later sample below 100 % lifts it early. */
  readonly limited: { readonly since: Instant; readonly until: Instant; readonly code: string } | undefined;
}

export const initialState: AccountUsage = { sample: undefined, observedAt: undefined, limited: undefined };

/** What a failed attempt of a request says about the account's quota. */
export interface LimitPronounced {
  readonly type: 'LimitPronounced';
  readonly since: Instant;
  readonly until: Instant;
  readonly code: string;
}

export function evolve(usage: AccountUsage, event: Recorded<AccountUsageEvent> | LimitPronounced): AccountUsage {
  switch (event.type) {
    case 'AccountUsageObserved': {
      const { primary, secondary, credits } = event.data;
      const isOpen = !isSpent(primary) && !isSpent(secondary);
      const liftsLimit = isOpen && usage.limited !== undefined && event.time > usage.limited.since;
      return {
        sample: { primary, secondary, credits },
        observedAt: event.time,
        limited: liftsLimit ? undefined : usage.limited,
      };
    }
    case 'LimitPronounced':
      return { ...usage, limited: { since: event.since, until: event.until, code: event.code } };
  }
}

const isSpent = (window: UsageSample['primary']) => window !== null && window.usedPercent >= 100;
