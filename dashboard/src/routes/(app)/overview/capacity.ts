import { paceOfWindow, type UsageWindow, windowsOf } from '#lib/accounts/accountStatus.ts';
import type { Schemas } from '#lib/api/client.ts';
import { left } from '#lib/format/times.ts';

type Account = Schemas['Account'];

/** A window on the timeline, in ms since 1970. */
export interface WindowForecast {
  readonly window: UsageWindow;
  readonly resetAt: number;
  /** When it is used up at its pace, if that is before the reset. */
  readonly runsOutAt: number | undefined;
}

export interface Forecast {
  readonly account: Account;
  readonly windows: readonly WindowForecast[];
  /** When the account stops serving, if a window does not last; in ms since 1970. */
  readonly stopsAt: number | undefined;
  /** "Lasts until both resets", "Secondary window used up in 3h, 2 days before its reset" */
  readonly text: string;
}

/** Forecasts of active accounts with known windows: those that stop first, then by name. @param now in ms since 1970 */
export function forecastsOf(accounts: readonly Account[], now: number): Forecast[] {
  return accounts
    .filter(({ status }) => status === 'active')
    .map((account) => forecastOf(account, now))
    .filter(({ windows }) => windows.length > 0)
    .sort(
      (a, b) =>
        (a.stopsAt ?? Number.MAX_SAFE_INTEGER) - (b.stopsAt ?? Number.MAX_SAFE_INTEGER) ||
        a.account.email.localeCompare(b.account.email, 'en', { numeric: true }),
    );
}

function forecastOf(account: Account, now: number): Forecast {
  const windows = Object.values(windowsOf(account)).flatMap((window) => {
    const resetAt = window.resetAt === null ? Number.NaN : Date.parse(window.resetAt);
    if (!window.isKnown || !(resetAt > now)) return [];
    return [{ window, resetAt, runsOutAt: paceOfWindow(window, now)?.runsOutAt }];
  });
  const first = windows
    .filter(({ runsOutAt }) => runsOutAt !== undefined)
    .sort((a, b) => (a.runsOutAt ?? 0) - (b.runsOutAt ?? 0))[0];
  const stopsAt = first?.runsOutAt;
  return { account, windows, stopsAt, text: first ? stopText(first, now) : 'Lasts until its resets' };
}

function stopText({ window, resetAt, runsOutAt = 0 }: WindowForecast, now: number): string {
  if (runsOutAt <= now) return `${window.name} used up, resets in ${left(resetAt, now)}`;
  return `${window.name} used up in ${left(runsOutAt, now)}, ${left(resetAt, runsOutAt)} before its reset`;
}

const WEEK = 7 * 86_400_000;

/** Place on the timeline in percent: a week, of which the next hours get the most room. @param ms from now on */
export const placeOf = (ms: number): number => Math.min(1, Math.max(0, ms / WEEK) ** 0.4) * 100;

const HOUR = 3_600_000;
export const TICKS = [
  { text: 'now', place: 0 },
  { text: '1 h', place: placeOf(HOUR) },
  { text: '6 h', place: placeOf(6 * HOUR) },
  { text: '1 day', place: placeOf(24 * HOUR) },
  { text: '3 days', place: placeOf(72 * HOUR) },
  { text: '7 days', place: 100 },
];
