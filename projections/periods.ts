import { type Instant, instant } from '../src/domain/core/brands.ts';

/** Periods of UTC that roll-ups sum over, the shortest first; a quarter is one of an hour. */
export const PERIODS = ['minute', 'quarter', 'hour', 'day', 'month'] as const;
export type Period = (typeof PERIODS)[number];
/** For roll-ups with many groups: by the minute, nearly every request would have a row of its own. */
export const LONGER_PERIODS = ['hour', 'day', 'month'] as const satisfies readonly Period[];

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The start of the period that contains `at`. */
export function startOf(period: Period, at: Instant): Instant {
  switch (period) {
    case 'minute':
      return instant(at - (at % MINUTE_MS));
    case 'quarter':
      return instant(at - (at % QUARTER_MS));
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

/** The first moment after the period that begins at `start`. */
export function endOf(period: Period, start: Instant): Instant {
  switch (period) {
    case 'minute':
      return instant(start + MINUTE_MS);
    case 'quarter':
      return instant(start + QUARTER_MS);
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
