import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { Attempt, CompletedRequest } from '../../domain/request/events.ts';
import type { Selection } from '../../domain/routing/select.ts';
import type { AdmittedRequest } from '../admission/admittedRequest.ts';
import { choose, type Decision } from './choose.ts';
import type { ExchangeServices } from './exchangeServices.ts';

const MAX_ATTEMPTS = 5;
const MAX_ATTEMPTING_MS = 60_000;
/** A request that finds every account cooling waits so long in all (design.md section 5). */
const MAX_WAITING_MS = 5_000;

/** What becomes of a request whose client has seen nothing yet. */
export type Step =
  | { readonly kind: 'try'; readonly accountId: AccountId; readonly decision: Decision; readonly isFallback: boolean }
  /** Every account cools down, and one of them will have cooled soon. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** It has had its attempts. */
  | { readonly kind: 'spent' }
  | {
      readonly kind: 'refused';
      readonly reason: Extract<Selection, { kind: 'none' }>['reason'];
      /** When an account will be usable again. */
      readonly until: Instant | null;
      /** For the log: replay must find no account either. */
      readonly refusal: NonNullable<CompletedRequest['refusal']>;
    };

export interface Tried {
  readonly ended: readonly Attempt[];
  readonly hasFailed: boolean;
  /** What was to be sent is still there. */
  readonly canRepeat: boolean;
  readonly waitedMs: number;
  /** Since its first attempt; its body may have taken its time, and the clock may have been put right. */
  readonly attemptingMs: number;
}

/** Chooses: an account, patience, or the end. */
export function nextStep(
  services: Pick<ExchangeServices, 'hot' | 'cooldowns' | 'pendingPin' | 'nextTurn'>,
  request: AdmittedRequest,
  { ended, hasFailed, canRepeat, waitedMs, attemptingMs }: Tried,
  now: Instant,
): Step {
  const isSpent = !canRepeat || ended.length >= MAX_ATTEMPTS || attemptingMs > MAX_ATTEMPTING_MS;
  if (isSpent && hasFailed) return { kind: 'spent' };
  const { selection, decision } = choose(services, request, ended, now);
  if (selection.kind !== 'none') {
    return { kind: 'try', accountId: selection.accountId, decision, isFallback: selection.isFallback };
  }
  const { reason, until } = selection;
  const isSoon = until !== null && until - now <= MAX_WAITING_MS - waitedMs;
  if (reason === 'cooling' && isSoon) return { kind: 'wait', ms: until - now };
  return { kind: 'refused', reason, until, refusal: { ...decision, reason } };
}
