import type { AccountId, Instant } from '../core/brands.ts';
import { meaningOf } from '../request/attemptOutcomes.ts';
import type { Attempt } from '../request/events.ts';

/** The last attempt that failed because of the account or the provider. */
export interface LastFailure {
  /** When the attempt ended. */
  readonly at: Instant;
  /** Its outcome. */
  readonly class: string;
  /** The provider's error code. */
  readonly code: string | null;
  readonly providerStatus: number | null;
  readonly errno: string | null;
  readonly requestId: string;
}

/** How the recent attempts of an account ended. */
export interface AccountHealth {
  /**
   * When the requests of the last attempts ended, in the order of the log; negative for an attempt that failed. Numbers only,
   * because checkpoints keep many copies.
   */
  readonly recent: readonly number[];
  /** Absent before the first failure. */
  readonly lastFailure?: LastFailure;
}

export const initialState: AccountHealth = { recent: [] };

/** Attempts of an account that its health is made of. */
export const MAX_RECENT_ATTEMPTS = 20;

/** What health needs of an attempt. */
export type CountedAttempt = Pick<Attempt, 'accountId' | 'endedAt' | 'outcome'> &
  Partial<Pick<Attempt, 'code' | 'isRepeat' | 'providerStatus' | 'errno'>>;

/** What health needs of a completed request. */
export interface CountedRequest {
  readonly requestId: string;
  readonly status: string;
  readonly accountId: AccountId | null;
  /** May be left out of a request without a failed attempt, whose status says whether the account succeeded. */
  readonly attempts: readonly CountedAttempt[];
}

/**
 * Counts the attempts of a request. An attempt that was repeated with refreshed tokens counts once, by its repetition.
 * @param time of the event
 * @param count called with each account that has a new state
 */
export function countAttempts(
  { requestId, status, accountId, attempts }: CountedRequest,
  time: Instant,
  healthOf: (accountId: AccountId) => AccountHealth | undefined,
  count: (accountId: AccountId, next: AccountHealth) => void,
): void {
  attempts.forEach((attempt, index) => {
    if (meaningOf(attempt.outcome) !== 'failure' || attempts[index + 1]?.isRepeat) return;
    count(attempt.accountId, afterFailure(healthOf(attempt.accountId), attempt, requestId, time));
  });
  // Only the last attempt of a request can succeed, and its status is then 200.
  if (status === '200' && accountId !== null) count(accountId, afterSuccess(healthOf(accountId), time));
}

function afterSuccess({ recent, lastFailure }: AccountHealth = initialState, time: Instant): AccountHealth {
  const next = withLatest(recent, time);
  return lastFailure ? { recent: next, lastFailure } : { recent: next };
}

const afterFailure = (
  health = initialState,
  { outcome, endedAt, code, providerStatus, errno }: CountedAttempt,
  requestId: string,
  time: Instant,
): AccountHealth => ({
  recent: withLatest(health.recent, -time),
  lastFailure: {
    at: endedAt,
    class: outcome,
    code: code ?? null,
    providerStatus: providerStatus ?? null,
    errno: errno ?? null,
    requestId,
  },
});

function withLatest(recent: readonly number[], latest: number): number[] {
  // Every request does this; a spread takes a quarter longer.
  const next = recent.slice(recent.length < MAX_RECENT_ATTEMPTS ? 0 : 1);
  next.push(latest);
  return next;
}

/** After an operator has asked for another attempt: what failed before says nothing about what follows. */
export const withoutRecent = ({ lastFailure }: AccountHealth): AccountHealth => ({
  ...initialState,
  ...(lastFailure && { lastFailure }),
});
