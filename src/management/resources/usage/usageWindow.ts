import { creditsOf } from '../../../domain/account/planCredits.ts';
import type { Account } from '../../../domain/account/state.ts';
import { commonMinutes, type WindowName } from '../../../domain/accountUsage/windowMinutes.ts';
import { type AccountId, iso } from '../../../domain/core/brands.ts';
import type { HotState } from '../../../state/fold/hotState.ts';
import { remaining } from '../accountSummary.ts';
import { rounded } from '../accountTrends.ts';

/** One usage window over all active accounts; an account counts as much as its plan has credits. */
export function aggregatedWindow(state: HotState, name: WindowName) {
  const active = [...state.accounts.values()].filter(({ status }) => status === 'active');
  const parts = active.map((account) => windowOf(state, account, name));
  const capacity = sum(parts.map(({ capacityCredits }) => capacityCredits));
  const left = sum(parts.map(({ remainingCredits }) => remainingCredits));
  const resets = parts.flatMap(({ window }) => window?.resetAt ?? []);
  return {
    remaining_percent: capacity === 0 ? 0 : rounded((left / capacity) * 100),
    capacity_credits: capacity,
    remaining_credits: left,
    reset_at: resets.length > 0 ? iso(resets.reduce((a, b) => (a < b ? a : b))) : null,
    window_minutes: windowMinutes(state, active, name),
  };
}

/** What the last sample says is left of one account's window. */
export function windowOf(state: HotState, account: Account, name: WindowName) {
  const window = state.usage.get(account.id)?.sample?.[name] ?? null;
  const capacityCredits = creditsOf(account.planType)[name];
  const remainingPercent = remaining(window);
  return { window, capacityCredits, remainingPercent, remainingCredits: (capacityCredits * remainingPercent) / 100 };
}

/** The length on which all accounts that know it agree, else the one that the specification gives. */
export function windowMinutes(
  state: HotState,
  accounts: Iterable<{ readonly id: AccountId }>,
  name: WindowName,
): number {
  const windows = Iterator.from(accounts).map(({ id }) => state.usage.get(id)?.sample?.[name]);
  return commonMinutes(windows, name);
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
