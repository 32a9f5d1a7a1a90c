import { type Instant, instant } from '../src/domain/core/brands.ts';

/** Stretches of UTC that roll-ups sum over, the shortest first. */
export const PERIODS = ['minute', 'hour', 'day', 'month'] as const;
export type Period = (typeof PERIODS)[number];
/** For what has many groups: nearly every one of them would have a row of its own in a minute. */
export const LONGER_PERIODS = ['hour', 'day', 'month'] as const satisfies readonly Period[];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** First moment of the period that holds `at`. */
export function startOf(period: Period, at: Instant): Instant {
  switch (period) {
    case 'minute':
      return instant(at - (at % MINUTE_MS));
    case 'hour':
      return instant(at - (at % HOUR_MS));
    case 'day':
      return instant(at - (at % DAY_MS));
    case 'month': {
      const date = new Date(at);
      return instant(Date.UTC(date.getUTCFullYear(), date.getUTCMonth()));
    }
  }
}

/** First moment behind the period that begins at `start`. */
export function endOf(period: Period, start: Instant): Instant {
  switch (period) {
    case 'minute':
      return instant(start + MINUTE_MS);
    case 'hour':
      return instant(start + HOUR_MS);
    case 'day':
      return instant(start + DAY_MS);
    case 'month': {
      const date = new Date(start);
      return instant(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1));
    }
  }
}
