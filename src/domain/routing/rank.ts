import type { UsageWindow } from '../accountUsage/events.ts';
import type { AccountUsage } from '../accountUsage/state.ts';
import type { AccountId, Instant } from '../core/brands.ts';
import type { Settings } from '../settings/events.ts';
import { hash32 } from './hash.ts';

/** Criteria of preference, the most important first; lower is better. */
export interface Rank {
  /** Whole days until the long window is reset, where accounts with an earlier reset are preferred; else 0. */
  readonly days: number;
  /** Percent used of the long window. */
  readonly secondary: number;
  /** Percent used of the short window. */
  readonly primary: number;
}

export interface RankInput {
  readonly usage: ReadonlyMap<AccountId, AccountUsage>;
  readonly settings: Pick<Settings, 'preferEarlierResetAccounts'>;
  readonly now: Instant;
}

/** @returns below 0 if `a` is preferred */
export const compareRanks = (a: Rank, b: Rank): number =>
  a.days - b.days || a.secondary - b.secondary || a.primary - b.primary;

/** Decides between equal ranks: the lowest is preferred. */
export const tieOf = (seed: string, id: AccountId): number => hash32(seed + id);

const DAY_MS = 86_400_000;
/** Of accounts whose reset is not known. */
export const UNKNOWN_DAYS = 10_000;

export function rankOf({ usage, settings, now }: RankInput, id: AccountId): Rank {
  const sample = usage.get(id)?.sample;
  const primary = usedOf(sample?.primary, now) ?? 0;
  const secondary = usedOf(sample?.secondary, now) ?? (sample?.secondary ? 0 : primary);
  if (!settings.preferEarlierResetAccounts) return { days: 0, secondary, primary };
  const resetAt = sample?.secondary?.resetAt ?? null;
  const days = resetAt !== null && resetAt > now ? Math.floor((resetAt - now) / DAY_MS) : UNKNOWN_DAYS;
  return { days, secondary, primary };
}

/** Undefined for a window that has been reset: candidates are available, so a used-up window has been too. */
function usedOf(window: UsageWindow | null | undefined, now: Instant): number | undefined {
  const isOver = !window || window.usedPercent >= 100 || (window.resetAt !== null && window.resetAt <= now);
  return isOver ? undefined : window.usedPercent;
}
