import type { ImportedLimit } from '../../domain/apiKey/decide.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { type LimitType, limitTypeNames, limitTypes } from '../../domain/limits/limitTypes.ts';
import type { LimitWindow } from '../../domain/limits/limitWindows.ts';
import type { SourceLimit } from './readSource.ts';

const DAY_MS = 86_400_000;

/** Windows of codex-lb that svc has: its own, and their length where they roll. */
const WINDOWS: Readonly<Record<string, { readonly limitWindow: LimitWindow; readonly lengthMs: number }>> = {
  daily: { limitWindow: 'daily', lengthMs: DAY_MS },
  weekly: { limitWindow: 'weekly', lengthMs: 7 * DAY_MS },
  '7d': { limitWindow: 'weekly', lengthMs: 7 * DAY_MS },
  monthly: { limitWindow: 'monthly', lengthMs: 30 * DAY_MS },
};

/** The limits of a key in the form of svc. */
export interface ImportedLimits {
  readonly limits: readonly ImportedLimit[];
  /** Changes that restrict the key no less than before. */
  readonly changes: readonly string[];
  /** Limits that svc does not have: without them the key may do more than before. */
  readonly missing: readonly string[];
}

/** Translates the limits of one key, with what is used of them. */
export function importedLimits(source: readonly SourceLimit[], now: Instant): ImportedLimits {
  const limits = new Map<string, ImportedLimit>();
  const [changes, missing]: [string[], string[]] = [[], []];
  for (const row of source) {
    const shown = `${row.limit_type} ${row.limit_window} limit of ${row.max_value}${row.model_filter ? ` on ${row.model_filter}` : ''}`;
    const limit = toLimit(row, now);
    if (typeof limit === 'string') {
      missing.push(`The ${shown} is left out: ${limit}.`);
      continue;
    }
    if (row.limit_window === 'monthly') {
      changes.push(
        `The ${shown} counts by calendar month instead of by 30 days; what was used counts in the current month.`,
      );
    }
    if (row.limit_type === 'cost_usd' && row.max_value % 1_000_000 !== 0) {
      changes.push(`The ${shown} millionths of a dollar is rounded down to ${limit.maxValue} USD.`);
    }
    const identity = JSON.stringify([limit.limitType, limit.limitWindow, limit.modelFilter]);
    const same = limits.get(identity);
    if (same)
      changes.push(`The ${shown} and another one are one limit here: the lower maximum and the higher use count.`);
    limits.set(identity, same ? stricter(same, limit) : limit);
  }
  return { limits: [...limits.values()], changes, missing };
}

/** @returns the limit, or why svc cannot have it */
function toLimit(row: SourceLimit, now: Instant): ImportedLimit | string {
  const limitType = limitTypeNames.find((name) => name === row.limit_type) as LimitType | undefined;
  const window = WINDOWS[row.limit_window];
  if (limitType === undefined) return `svc does not limit ${row.limit_type}`;
  if (window === undefined) return `svc has no windows of ${row.limit_window}`;
  // codex-lb stores costs in millionths of a dollar, svc in whole dollars.
  const maxValue = Math.floor(row.max_value / limitTypes[limitType].amountsPerUnit);
  if (maxValue < 1) return 'svc limits whole dollars, at least one';
  if (maxValue > limitTypes[limitType].maxValue) return 'it is higher than any limit of svc';
  const { limitWindow, lengthMs } = window;
  const passed = Math.max(0, Math.floor((now - row.reset_at) / lengthMs) + 1);
  const began = row.reset_at + (passed - 1) * lengthMs;
  return {
    limitType,
    limitWindow,
    maxValue,
    modelFilter: row.model_filter,
    createdAt: instant(limitWindow === 'monthly' ? now : Math.min(began, now)),
    used: passed > 0 ? 0 : Math.max(0, row.current_value),
  };
}

/** Of two windows the one that ends later is kept. */
const stricter = (a: ImportedLimit, b: ImportedLimit): ImportedLimit => ({
  ...a,
  maxValue: Math.min(a.maxValue, b.maxValue),
  used: Math.max(a.used, b.used),
  createdAt: a.createdAt > b.createdAt ? a.createdAt : b.createdAt,
});
