import type { AttemptOutcome } from './attemptOutcomes.ts';

/** Their request says as much. */
const UNMENTIONED: ReadonlySet<string> = new Set<AttemptOutcome>(['ok', 'client_gone', 'aborted', 'limit_reached']);

interface DescribedAttempt {
  readonly accountId: string;
  readonly outcome: string;
  readonly code?: string | undefined;
  readonly providerStatus?: number | undefined;
  readonly errno?: string | undefined;
}

/** Names the attempts that failed, as the end of a sentence; empty when none did. */
export const describeFailedAttempts = (attempts: readonly DescribedAttempt[]): string =>
  attempts
    .filter(({ outcome }) => !UNMENTIONED.has(outcome))
    .map((attempt) => `; the attempt on account ${attempt.accountId} failed: ${describeFailure(attempt)}`)
    .join('');

/** @returns for example `provider error (status 500, server_error)` */
export function describeFailure({ outcome, code, providerStatus, errno }: Omit<DescribedAttempt, 'accountId'>): string {
  const details = [providerStatus === undefined ? undefined : `status ${providerStatus}`, code, errno];
  const known = details.filter((detail) => detail !== undefined);
  const name = outcome.replaceAll('_', ' ');
  return known.length === 0 ? name : `${name} (${known.join(', ')})`;
}
