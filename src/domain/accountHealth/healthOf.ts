import type { Instant } from '../core/brands.ts';
import { type AccountHealth, initialState, type LastFailure } from './state.ts';

/** Whether an account fails, by its recent attempts. */
export interface Health {
  /** `unknown` without a recent attempt. */
  readonly state: 'unknown' | 'healthy' | 'failing';
  readonly attempts: number;
  readonly failures: number;
  readonly lastFailure: LastFailure | null;
}

/** Older attempts are not recent. An account that cools down is tried about once a minute. */
export const RECENT_MS = 3_600_000;
/** With fewer attempts an account is not called failing. */
const MIN_ATTEMPTS = 3;
/** How far clocks of nodes may differ. */
const MAX_CLOCK_DIFFERENCE_MS = 5_000;

/**
 * The health of an account at a moment. It is failing when its last attempt failed, and so did the last three or more than half
 * of the recent ones: one success ends it, and a single failure does not begin it.
 */
export function healthOf({ recent, lastFailure }: AccountHealth = initialState, now: Instant): Health {
  // In the order of the log, which is not that of time after a clock was set back.
  const counted = recent.filter((time) => isRecent(Math.abs(time), now));
  const [attempts, failures] = [counted.length, counted.filter(hasFailed).length];
  const last = counted.slice(-MIN_ATTEMPTS);
  const isFailing =
    attempts >= MIN_ATTEMPTS && last.slice(-1).every(hasFailed) && (failures * 2 > attempts || last.every(hasFailed));
  const state = attempts === 0 ? 'unknown' : isFailing ? 'failing' : 'healthy';
  return { state, attempts, failures, lastFailure: lastFailure ?? null };
}

const hasFailed = (time: number) => time < 0;

/** Times in the future are of a clock that was set back since. */
const isRecent = (time: number, now: Instant) => time > now - RECENT_MS && time <= now + MAX_CLOCK_DIFFERENCE_MS;
