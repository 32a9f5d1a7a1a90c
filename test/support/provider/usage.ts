import { json } from './http.ts';
import type { ResponseScript } from './responseScript.ts';

export interface UsageWindow {
  usedPercent: number;
  windowSeconds: number;
  /** Unix seconds; may be in the past. */
  resetAt: number;
  /** Fields to omit from the payload. */
  omit?: ('reset_at' | 'reset_after_seconds')[];
}

/** What `/wham/usage` and the rate-limit headers report; may change between polls (docs/provider.md#usage-values-to-expect). */
export interface UsageScript {
  /** Default: the account's plan. */
  planType: string | undefined;
  primary: UsageWindow | null;
  secondary: UsageWindow | null;
  credits: { hasCredits: boolean; unlimited: boolean; balance: string | null } | null;
  /** Makes `/wham/usage` fail: an HTTP status, or any script. */
  failure: number | ResponseScript | undefined;
}

const HOUR = 3600;

export interface WindowOptions {
  usedPercent?: number;
  windowSeconds?: number;
  resetsInSeconds?: number;
  omit?: UsageWindow['omit'];
}

/** A window that resets in `resetsInSeconds`, which may be negative. */
export function usageWindow(options: WindowOptions = {}, now: () => number = Date.now): UsageWindow {
  const { usedPercent = 0, windowSeconds = 5 * HOUR, resetsInSeconds = windowSeconds, omit } = options;
  const resetAt = Math.floor(now() / 1000) + resetsInSeconds;
  return { usedPercent, windowSeconds, resetAt, ...(omit && { omit }) };
}

export const initialUsage = (now: () => number): UsageScript => ({
  planType: undefined,
  primary: usageWindow({}, now),
  secondary: usageWindow({ windowSeconds: 7 * 24 * HOUR }, now),
  credits: { hasCredits: false, unlimited: false, balance: '0' },
  failure: undefined,
});

interface UsageOf {
  account: { id: string; email: string; plan: string; userId: string; usage: UsageScript };
  now: number;
}

/** The response to `GET /wham/usage`. */
export function usageResponse({ account, now }: UsageOf): ResponseScript {
  const { planType, primary, secondary, credits, failure } = account.usage;
  if (typeof failure === 'number') return json(failure, { detail: `Usage is not available (${failure})` });
  if (failure) return failure;
  const isLimitReached = [primary, secondary].some((window) => window && window.usedPercent >= 100);
  return json(200, {
    user_id: account.userId,
    account_id: account.id,
    email: account.email,
    plan_type: planType ?? account.plan,
    rate_limit: {
      allowed: !isLimitReached,
      limit_reached: isLimitReached,
      primary_window: primary && windowPayload(primary, now),
      secondary_window: secondary && windowPayload(secondary, now),
    },
    credits: credits && { has_credits: credits.hasCredits, unlimited: credits.unlimited, balance: credits.balance },
  });
}

function windowPayload({ usedPercent, windowSeconds, resetAt, omit = [] }: UsageWindow, now: number) {
  const payload: Record<string, number> = {
    used_percent: usedPercent,
    limit_window_seconds: windowSeconds,
    reset_after_seconds: Math.max(0, resetAt - Math.floor(now / 1000)),
    reset_at: resetAt,
  };
  for (const field of omit) delete payload[field];
  return payload;
}

/** The `x-codex-*` headers of every response to a model request, errors included. */
export function rateLimitHeaders({ primary, secondary, credits }: UsageScript): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, window] of Object.entries({ primary, secondary })) {
    if (!window) continue;
    headers[`x-codex-${name}-used-percent`] = String(window.usedPercent);
    headers[`x-codex-${name}-window-minutes`] = String(Math.ceil(window.windowSeconds / 60));
    if (!window.omit?.includes('reset_at')) headers[`x-codex-${name}-reset-at`] = String(window.resetAt);
  }
  if (credits) {
    headers['x-codex-credits-has-credits'] = String(credits.hasCredits);
    headers['x-codex-credits-unlimited'] = String(credits.unlimited);
    if (credits.balance !== null) headers['x-codex-credits-balance'] = credits.balance;
  }
  return headers;
}
