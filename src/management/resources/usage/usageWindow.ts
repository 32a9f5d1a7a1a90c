import { creditsOf } from '../../../domain/account/planCredits.ts';
import type { Account } from '../../../domain/account/state.ts';
import type { UsageWindow } from '../../../domain/accountUsage/events.ts';
import { commonMinutes, type WindowName } from '../../../domain/accountUsage/windowMinutes.ts';
import { type AccountId, iso } from '../../../domain/core/brands.ts';
import type { HotState } from '../../../state/fold/hotState.ts';

/** Assumes zero usage before the first sample. */
export const remainingPercent = (window: UsageWindow | null) => Math.max(0, 100 - (window?.usedPercent ?? 0));

/** Rounds to two decimals. */
export const roundPercent = (value: number): number => Math.round(value * 100) / 100;

/** Aggregates one usage window over all active accounts, weighted by the credits of their plans. */
export function aggregatedWindow(state: HotState, name: WindowName) {
  const active = [...state.accounts.values()].filter(({ status }) => status === 'active');
  const windows = active.map((account) => windowOf(state, account, name));
  const capacity = sum(windows.map(({ capacityCredits }) => capacityCredits));
  const remaining = sum(windows.map(({ remainingCredits }) => remainingCredits));
  const resets = windows.flatMap(({ window }) => window?.resetAt ?? []);
  return {
    remaining_percent: capacity === 0 ? 0 : roundPercent((remaining / capacity) * 100),
    capacity_credits: capacity,
    remaining_credits: remaining,
    reset_at: resets.length > 0 ? iso(resets.reduce((a, b) => (a < b ? a : b))) : null,
    window_minutes: windowMinutes(state, active, name),
  };
}

/** Reads one window of one account from its last sample. */
export function windowOf(state: HotState, account: Account, name: WindowName) {
  const window = state.usage.get(account.id)?.sample?.[name] ?? null;
  const capacityCredits = creditsOf(account.planType)[name];
  const percent = remainingPercent(window);
  return { window, capacityCredits, remainingPercent: percent, remainingCredits: (capacityCredits * percent) / 100 };
}

/** The window length in minutes if all accounts that report one agree, else the documented default. */
export function windowMinutes(
  state: HotState,
  accounts: Iterable<{ readonly id: AccountId }>,
  name: WindowName,
): number {
  const windows = Iterator.from(accounts).map(({ id }) => state.usage.get(id)?.sample?.[name]);
  return commonMinutes(windows, name);
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
