import { creditsOf } from '../../domain/account/planCredits.ts';
import type { Account } from '../../domain/account/state.ts';
import type { UsageSample, UsageWindow } from '../../domain/accountUsage/events.ts';
import { commonMinutes, type WindowName } from '../../domain/accountUsage/windowMinutes.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { HotState } from '../../state/fold/hotState.ts';

/** One usage window over the whole pool. */
export interface PoolWindow {
  /** 0 to 100, whole: a mean of the accounts, each counting as much as its plan has credits. */
  readonly usedPercent: number;
  readonly windowMinutes: number;
  /** When the first of the accounts begins anew; null when none said. */
  readonly resetAt: Instant | null;
}

export interface PoolCredits {
  readonly isUnlimited: boolean;
  readonly balance: number;
}

/** What is left of the accounts that are active, as if they were one. */
export interface PoolUsage {
  /** The best of their plans; `guest` without any account. */
  readonly planType: string;
  readonly primary: PoolWindow | null;
  readonly secondary: PoolWindow | null;
  /** What was bought beyond the plans; null when nobody has any. */
  readonly credits: PoolCredits | null;
}

type Pool = Pick<HotState, 'accounts' | 'usage'>;

/** From the largest to the smallest; plans that we do not know come last (provider-and-predecessor.md 6.8). */
const PLANS = ['enterprise', 'business', 'team', 'pro', 'plus', 'education', 'edu', 'free_workspace', 'free', 'go'];

/** By the accounts' last samples: those never heard of say nothing. */
export function poolUsage({ accounts, usage }: Pool): PoolUsage {
  const active = [...accounts.values()].filter(({ status }) => status === 'active');
  const known = active.flatMap((account): Known[] => {
    const sample = usage.get(account.id)?.sample;
    return sample ? [{ account, sample }] : [];
  });
  return {
    planType: bestPlan(active),
    primary: poolWindow(known, 'primary'),
    secondary: poolWindow(known, 'secondary'),
    credits: poolCredits(known),
  };
}

interface Known {
  readonly account: Account;
  readonly sample: UsageSample;
}

function bestPlan(active: readonly Account[]): string {
  const plans = new Set(active.map(({ planType }) => planType));
  return PLANS.find((plan) => plans.has(plan)) ?? [...plans].sort()[0] ?? 'guest';
}

function poolWindow(known: readonly Known[], name: WindowName): PoolWindow | null {
  const parts = known.flatMap(({ account, sample }) => {
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

/** Accounts whose plans have no credits that we know of count alike when there are no others. */
function meanPercent(parts: readonly { readonly window: UsageWindow; readonly weight: number }[]): number {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  let used = 0;
  for (const { window, weight } of parts) used += Math.min(100, window.usedPercent) * (total === 0 ? 1 : weight);
  return used / (total === 0 ? parts.length : total);
}

function poolCredits(known: readonly Known[]): PoolCredits | null {
  const owned = known.flatMap(({ sample: { credits } }) =>
    credits?.hasCredits || credits?.isUnlimited ? [credits] : [],
  );
  if (owned.length === 0) return null;
  return {
    isUnlimited: owned.some(({ isUnlimited }) => isUnlimited),
    balance: owned.reduce((sum, { balance }) => sum + Number(balance ?? 0), 0),
  };
}
