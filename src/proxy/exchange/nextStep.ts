import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { Attempt, CompletedRequest } from '../../domain/request/events.ts';
import { MAX_WAITING_MS } from '../../domain/routing/maxWaiting.ts';
import type { Selection } from '../../domain/routing/select.ts';
import type { AdmittedRequest } from './admittedRequest.ts';
import { choose, type Decision } from './choose.ts';
import type { Accounts } from './ports.ts';

const MAX_ATTEMPTS = 5;
const MAX_ATTEMPTING_MS = 60_000;

/** What a request does next while its client has received nothing. */
export type Step =
  | {
      readonly kind: 'attempt';
      readonly accountId: AccountId;
      readonly decision: Decision;
      readonly isFallback: boolean;
    }
  /** Every account cools down, and the first one is available again soon. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** No further attempt is allowed. */
  | { readonly kind: 'spent' }
  | {
      readonly kind: 'noAccount';
      readonly reason: Extract<Selection, { kind: 'none' }>['reason'];
      /** When the first account is available again. */
      readonly until: Instant | null;
      /** For the log: replay must find no account either. */
      readonly refusal: NonNullable<CompletedRequest['refusal']>;
    };

/** What a request has tried so far. */
export interface Progress {
  readonly attempts: readonly Attempt[];
  readonly hasFailed: boolean;
  /** The request body is still in memory and can be sent again. */
  readonly canRepeat: boolean;
  readonly waitedMs: number;
  /** Since the first attempt, by the monotonic clock. Excludes the time in which the request body arrived. */
  readonly attemptingMs: number;
}

/** Decides whether a request calls the next account, waits for one or ends. */
export function nextStep(
  accounts: Accounts,
  request: AdmittedRequest,
  { attempts, hasFailed, canRepeat, waitedMs, attemptingMs }: Progress,
  now: Instant,
): Step {
  const isSpent = !canRepeat || attempts.length >= MAX_ATTEMPTS || attemptingMs > MAX_ATTEMPTING_MS;
  if (isSpent && hasFailed) return { kind: 'spent' };
  const { selection, decision } = choose(accounts, request, attempts, now);
  if (selection.kind !== 'none') {
    return { kind: 'attempt', accountId: selection.accountId, decision, isFallback: selection.isFallback };
  }
  const { reason, until } = selection;
  const isSoon = until !== null && until - now <= MAX_WAITING_MS - waitedMs;
  if (reason === 'cooling' && isSoon) return { kind: 'wait', ms: until - now };
  return { kind: 'noAccount', reason, until, refusal: { ...decision, reason } };
}
