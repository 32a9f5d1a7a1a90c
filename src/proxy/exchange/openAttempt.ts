import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { AttemptOutcome } from '../../domain/request/attemptOutcomes.ts';
import type { Attempt } from '../../domain/request/events.ts';
import type { Decision } from './choose.ts';

/** An attempt in progress. */
export interface OpenAttempt {
  readonly accountId: AccountId;
  readonly decision: Decision;
  readonly startedAt: Instant;
  /** The header that was sent. If the provider refuses a token that has been replaced meanwhile, no refresh is needed. */
  readonly authorization: string;
  /** Host and port of the proxy that the call goes through. */
  readonly proxy: string | undefined;
  /** Where the provider must process the request, as the account's token says. */
  readonly region: string | undefined;
  /** How long the request waited for an account before. */
  readonly waitedMs: number;
}

/** What the log keeps of the end of an attempt besides its outcome. */
export type AttemptDetails = Pick<Attempt, 'code' | 'limitedUntil' | 'providerStatus' | 'errno'>;

/** @returns an attempt that has ended, as the log records it */
export const endedAttempt = (
  { accountId, decision, startedAt, proxy, region, waitedMs }: OpenAttempt,
  outcome: AttemptOutcome,
  endedAt: Instant,
  details?: AttemptDetails,
): Attempt => ({
  // Spelled out instead of spread, because this runs for every request; JSON omits undefined fields.
  decidedAt: decision.decidedAt,
  asOf: decision.asOf,
  v: decision.v,
  overlay: decision.overlay,
  accountId,
  startedAt,
  endedAt,
  outcome,
  code: details?.code,
  limitedUntil: details?.limitedUntil,
  isRepeat: decision.isRepeat,
  providerStatus: details?.providerStatus,
  errno: details?.errno,
  proxy,
  region,
  waitedMs: waitedMs === 0 ? undefined : waitedMs,
});
