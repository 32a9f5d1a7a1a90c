import { creditsOf } from '../../domain/account/planCredits.ts';
import type { Account } from '../../domain/account/state.ts';
import type { UsageSample, UsageWindow } from '../../domain/accountUsage/events.ts';
import { commonMinutes, type WindowName } from '../../domain/accountUsage/windowMinutes.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { HotState } from '../../state/fold/hotState.ts';

/** One usage window of the whole pool. */
export interface PoolWindow {
  /** 0 to 100, rounded down: the mean of the accounts, weighted by the credits of their plans. */
  readonly usedPercent: number;
  readonly windowMinutes: number;
  /** When the first of the accounts' windows resets; null when unknown. */
  readonly resetAt: Instant | null;
}

export interface PoolCredits {
  readonly isUnlimited: boolean;
  readonly balance: number;
}

/** The usage of the active accounts as if they were one. */
export interface PoolUsage {
  /** The best plan among them; `guest` when there are none. */
  readonly planType: string;
  readonly primary: PoolWindow | null;
  readonly secondary: PoolWindow | null;
  /** Credits bought in addition to the plans; null when no account has any. */
  readonly credits: PoolCredits | null;
}

type Pool = Pick<HotState, 'accounts' | 'usage'>;

/** Best first; unknown plans come last (docs/provider.md#order-of-plans). */
const PLANS = ['enterprise', 'business', 'team', 'pro', 'plus', 'education', 'edu', 'free_workspace', 'free', 'go'];

/** Computes the usage of the pool from the last sample of each active account. Ignores accounts without a sample. */
export function computePoolUsage({ accounts, usage }: Pool): PoolUsage {
  const active = [...accounts.values()].filter(({ status }) => status === 'active');
  const sampled = active.flatMap((account): SampledAccount[] => {
    const sample = usage.get(account.id)?.sample;
    return sample ? [{ account, sample }] : [];
  });
  return {
    planType: bestPlan(active),
    primary: poolWindow(sampled, 'primary'),
    secondary: poolWindow(sampled, 'secondary'),
    credits: poolCredits(sampled),
  };
}

interface SampledAccount {
  readonly account: Account;
  readonly sample: UsageSample;
}

function bestPlan(active: readonly Account[]): string {
  const plans = new Set(active.map(({ planType }) => planType));
  return PLANS.find((plan) => plans.has(plan)) ?? [...plans].sort()[0] ?? 'guest';
}

function poolWindow(sampled: readonly SampledAccount[], name: WindowName): PoolWindow | null {
  const parts = sampled.flatMap(({ account, sample }) => {
    const window = sample[name];
    return window ? [{ window, weight: creditsOf(account.planType)[name] }] : [];
  });
  if (parts.length === 0) return null;
  const resets = parts.flatMap(({ window }) => window.resetAt ?? []);
  return {
    usedPercent: Math.floor(meanPercent(parts)),
    windowMinutes: commonMinutes(
      parts.map(({ window }) => window),
      name,
    ),
    resetAt: resets.length === 0 ? null : resets.reduce((a, b) => (a < b ? a : b)),
  };
}

/** If no account's plan has known credits, all accounts have the same weight. */
function meanPercent(parts: readonly { readonly window: UsageWindow; readonly weight: number }[]): number {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  let used = 0;
  for (const { window, weight } of parts) used += Math.min(100, window.usedPercent) * (total === 0 ? 1 : weight);
  return used / (total === 0 ? parts.length : total);
}

function poolCredits(sampled: readonly SampledAccount[]): PoolCredits | null {
  const owned = sampled.flatMap(({ sample: { credits } }) =>
    credits?.hasCredits || credits?.isUnlimited ? [credits] : [],
  );
  if (owned.length === 0) return null;
  return {
    isUnlimited: owned.some(({ isUnlimited }) => isUnlimited),
    balance: owned.reduce((sum, { balance }) => sum + Number(balance ?? 0), 0),
  };
}
