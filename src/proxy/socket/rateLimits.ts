import type { Instant } from '../../domain/core/brands.ts';
import type { HeaderLookup } from '../../http/wire/headers.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { computePoolUsage, type PoolWindow } from '../poolUsage/poolUsage.ts';
import { isObject } from '../requestBody/parseJson.ts';
import { parseFrame } from './frames.ts';

/** The usage of an account, which a socket reports in a message and a response over HTTP in its headers. */
export const RATE_LIMITS = 'codex.rate_limits';

const WINDOWS = ['primary', 'secondary'] as const;
const FIELDS = [
  ['used_percent', 'used-percent'],
  ['window_minutes', 'window-minutes'],
  ['reset_after_seconds', 'reset-after-seconds'],
  ['reset_at', 'reset-at'],
] as const;

/** @returns the same as the headers of a response over HTTP (docs/provider.md#rate-limit-headers) */
export function rateLimitHeaders(frame: Buffer): HeaderLookup {
  const headers = new Map<string, string>();
  const limits = parseFrame(frame.toString())?.rate_limits;
  if (!isObject(limits)) return headers;
  for (const name of WINDOWS) {
    const window = limits[name];
    if (!isObject(window)) continue;
    for (const [field, header] of FIELDS) {
      const value = window[field];
      if (typeof value === 'number') headers.set(`x-codex-${name}-${header}`, String(value));
    }
  }
  return headers;
}

/** The message with the usage of the pool, for clients in place of the account's. */
export function poolRateLimits(hot: Pick<HotState, 'accounts' | 'usage'>, now: Instant): Buffer {
  const { planType, primary, secondary, credits } = computePoolUsage(hot);
  const isReached = [primary, secondary].some((window) => window !== null && window.usedPercent >= 100);
  return Buffer.from(
    JSON.stringify({
      type: RATE_LIMITS,
      plan_type: planType,
      rate_limits: {
        allowed: !isReached,
        limit_reached: isReached,
        primary: windowFields(primary, now),
        secondary: windowFields(secondary, now),
      },
      credits: credits && {
        has_credits: true,
        unlimited: credits.isUnlimited,
        balance: credits.balance.toFixed(2),
      },
    }),
  );
}

function windowFields(window: PoolWindow | null, now: Instant) {
  if (!window) return null;
  const { usedPercent, windowMinutes, resetAt } = window;
  return {
    used_percent: usedPercent,
    window_minutes: windowMinutes,
    ...(resetAt !== null && {
      reset_after_seconds: Math.max(0, Math.ceil((resetAt - now) / 1_000)),
      reset_at: Math.ceil(resetAt / 1_000),
    }),
  };
}
