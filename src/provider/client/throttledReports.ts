import type { Instant } from '../../domain/core/brands.ts';

const HOUR_MS = 3_600_000;

/** @returns `report`, limited to once an hour for each key: a poll that fails every minute should not log sixty lines */
export function createThrottledReports({ report, now }: { report: (error: Error) => void; now: () => Instant }) {
  const reportedAt = new Map<string, Instant>();
  return (key: string, error: Error): void => {
    const at = now();
    const last = reportedAt.get(key);
    if (last !== undefined && at - last < HOUR_MS) return;
    reportedAt.set(key, at);
    report(error);
  };
}

/** A problem with the provider or with an account's credentials, for operators; the message names the account. */
export class ProviderProblem extends Error {
  override readonly name = 'ProviderProblem';
}
