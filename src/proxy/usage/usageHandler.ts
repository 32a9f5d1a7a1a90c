import type { ServerResponse } from 'node:http';
import type { Instant } from '../../domain/core/brands.ts';
import { availabilityOf } from '../../domain/routing/availability.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { computePoolUsage, type PoolCredits, type PoolWindow } from '../poolUsage/poolUsage.ts';
import type { ResponseHead } from '../relay/responseHead.ts';
import { sendJson } from '../relay/sendJson.ts';

export interface UsageOptions {
  readonly hot: Pick<HotState, 'accounts' | 'usage'>;
  readonly now: () => Instant;
}

/**
 * Serves the usage of the whole pool, in the format in which Codex polls the usage of one account. The path is public, so the
 * response names no account. (docs/provider.md#usage-summary-for-clients, docs/decisions/0045-optional-keys-and-public-paths.md)
 */
export const createUsageHandler =
  ({ hot, now }: UsageOptions) =>
  (response: ServerResponse, head: ResponseHead): void => {
    const at = now();
    const { planType, primary, secondary, credits } = computePoolUsage(hot);
    const isLimitReached = isExhausted(hot, at);
    const limit = {
      allowed: !isLimitReached,
      limit_reached: isLimitReached,
      primary_window: windowFields(primary, at),
      secondary_window: windowFields(secondary, at),
    };
    const body = {
      plan_type: planType,
      rate_limit: primary || secondary ? limit : null,
      credits: creditFields(credits),
    };
    sendJson(response, 200, body, head);
  };

/** Whether no account is available before a usage window resets. Ignores cool-downs. */
const isExhausted = ({ accounts, usage }: UsageOptions['hot'], now: Instant): boolean =>
  accounts
    .values()
    .filter(({ status }) => status === 'active')
    .every((account) => availabilityOf(account, usage.get(account.id), undefined, now).state !== 'available');

function windowFields(window: PoolWindow | null, now: Instant) {
  if (!window) return null;
  const { usedPercent, windowMinutes, resetAt } = window;
  const resetSeconds = Math.ceil((resetAt ?? now + windowMinutes * 60_000) / 1_000);
  return {
    used_percent: usedPercent,
    limit_window_seconds: windowMinutes * 60,
    reset_after_seconds: Math.max(0, resetSeconds - Math.floor(now / 1_000)),
    reset_at: resetSeconds,
  };
}

const creditFields = (credits: PoolCredits | null) =>
  credits && {
    has_credits: true,
    unlimited: credits.isUnlimited,
    balance: credits.balance.toFixed(2),
    approx_local_messages: null,
    approx_cloud_messages: null,
  };
