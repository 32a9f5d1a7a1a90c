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
 * @param healthOf returns the state of an account so far; undefined when its attempts do not count
 * @param count called with each account that has a new state
 */
export function countAttempts(
  { requestId, status, accountId, attempts }: CountedRequest,
  time: Instant,
  healthOf: (accountId: AccountId) => AccountHealth | undefined,
  count: (accountId: AccountId, next: AccountHealth) => void,
): void {
  // Nearly every request has none here.
  if (attempts.length > 0) {
    attempts.forEach((attempt, index) => {
      if (meaningOf(attempt.outcome) !== 'failure' || attempts[index + 1]?.isRepeat) return;
      const health = healthOf(attempt.accountId);
      if (health) count(attempt.accountId, afterFailure(health, attempt, requestId, time));
    });
  }
  // Only the last attempt of a request can succeed, and its status is then 200.
  if (status !== '200' || accountId === null) return;
  const health = healthOf(accountId);
  if (health) count(accountId, afterSuccess(health, time));
}

function afterSuccess({ recent, lastFailure }: AccountHealth, time: Instant): AccountHealth {
  const next = withLatest(recent, time);
  return lastFailure ? { recent: next, lastFailure } : { recent: next };
}

const afterFailure = (
  { recent }: AccountHealth,
  { outcome, endedAt, code, providerStatus, errno }: CountedAttempt,
  requestId: string,
  time: Instant,
): AccountHealth => ({
  recent: withLatest(recent, -time),
  lastFailure: {
    at: endedAt,
    class: outcome,
    code: code ?? null,
    providerStatus: providerStatus ?? null,
    errno: errno ?? null,
    requestId,
  },
});

/** Every request does this: an array of the right length costs half as much as a slice to which the latest is pushed. */
function withLatest(recent: readonly number[], latest: number): number[] {
  const dropped = recent.length < MAX_RECENT_ATTEMPTS ? 0 : 1;
  const kept = recent.length - dropped;
  const next = new Array<number>(kept + 1);
  for (let at = 0; at < kept; at++) next[at] = recent[at + dropped] as number;
  next[kept] = latest;
  return next;
}

/** After an operator has asked for another attempt: what failed before says nothing about what follows. */
export const withoutRecent = ({ lastFailure }: AccountHealth): AccountHealth => ({
  ...initialState,
  ...(lastFailure && { lastFailure }),
});
