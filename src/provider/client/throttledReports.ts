import type { Instant } from '../../domain/core/brands.ts';

const HOUR_MS = 3_600_000;

/** Passes on at most one report for each key and hour: what fails every minute is worth one line, not sixty. */
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

/** Something of the provider or of an account's tokens that an operator should hear of; the message names the account. */
export class ProviderTrouble extends Error {
  override readonly name = 'ProviderTrouble';
}
