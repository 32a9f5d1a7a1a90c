import type { UsageSample, UsageWindow } from '../../domain/accountUsage/events.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { asObject } from '../client/json.ts';
import { planOf } from '../client/jwt.ts';

/** The usage of an account as the provider reports it. */
export interface ReportedUsage {
  readonly sample: UsageSample;
  readonly planType: string | null;
}

const WEEK_MINUTES = 10_080;
/** No window of the provider is longer; a reset time further away is invalid (docs/provider.md#reset-times). */
export const MAX_WINDOW_SECONDS = 366 * 24 * 3_600;
const MAX_PERCENT = 1_000_000;

/**
 * Reads the response of `/wham/usage`, tolerating unexpected values of any field (docs/provider.md#usage-payload).
 * @param now when the response arrived; a reset given as a delay is relative to it
 * @returns undefined if the body does not contain usage
 */
export function readUsage(body: unknown, now: Instant): ReportedUsage | undefined {
  const usage = asObject(body);
  const limit = asObject(usage?.rate_limit);
  const planType = typeof usage?.plan_type === 'string' && usage.plan_type.trim() !== '' ? usage.plan_type : null;
  if (!usage || (!limit && planType === null)) return undefined;
  const windows = toWindowSlots(windowIn(limit?.primary_window, now), windowIn(limit?.secondary_window, now));
  const sample = { ...windows, credits: creditsIn(usage.credits) };
  return { sample, planType: planType === null ? null : planOf(planType) };
}

/** Moves the window of a weekly-only plan, which the provider reports as primary (docs/provider.md#weekly-only-plans). */
export function toWindowSlots(primary: UsageWindow | null, secondary: UsageWindow | null) {
  const isWeekly = primary !== null && primary.windowMinutes !== null && primary.windowMinutes >= WEEK_MINUTES;
  return isWeekly && secondary === null ? { primary: null, secondary: primary } : { primary, secondary };
}

function windowIn(value: unknown, now: Instant): UsageWindow | null {
  const window = asObject(value);
  const percent = window && numberIn(window.used_percent);
  if (!window || percent === undefined) return null;
  const seconds = numberIn(window.limit_window_seconds);
  return {
    usedPercent: floorPercent(percent),
    resetAt: resetIn(numberIn(window.reset_at), numberIn(window.reset_after_seconds), now),
    windowMinutes: seconds === undefined || seconds > MAX_WINDOW_SECONDS ? null : Math.max(1, Math.ceil(seconds / 60)),
  };
}

/** Rounds down: an account at 99.9 % is not used up. */
export const floorPercent = (percent: number): number => Math.min(Math.max(0, Math.floor(percent)), MAX_PERCENT);

/**
 * @param at in seconds since 1970
 * @param after in seconds from now, used if `at` is missing or out of range
 * @returns when a window ends
 */
export function resetIn(at: number | undefined, after: number | undefined, now: Instant): Instant | null {
  const candidates = [
    ...(at === undefined || at <= 0 ? [] : [Math.round(at * 1_000)]),
    ...(after === undefined ? [] : [Math.round(now + Math.max(0, after) * 1_000)]),
  ];
  const resetAt = candidates.find((ms) => ms - now <= MAX_WINDOW_SECONDS * 1_000);
  return resetAt === undefined ? null : instant(resetAt);
}

function creditsIn(value: unknown): UsageSample['credits'] {
  const credits = asObject(value);
  if (!credits) return null;
  return {
    hasCredits: credits.has_credits === true,
    isUnlimited: credits.unlimited === true,
    balance: balanceIn(credits.balance),
  };
}

/** Of a balance, which the log keeps as the provider spells it. */
const MAX_BALANCE_CHARACTERS = 40;

function balanceIn(value: unknown): string | null {
  if (numberIn(value) === undefined) return null;
  const balance = String(value).trim();
  return balance.length <= MAX_BALANCE_CHARACTERS ? balance : null;
}

/** Reads a finite number, or text that contains one. */
export function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
