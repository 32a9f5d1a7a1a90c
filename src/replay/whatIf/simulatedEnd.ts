import type { AccountId, MicroDollars } from '../../domain/core/brands.ts';
import type { Attempt, CompletedRequest, RefusedRequest, TokenUsage } from '../../domain/request/events.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';

/** An event that ends a request. */
export type EndedEvent = Extract<RecordedEvent, { type: 'RequestCompleted' | 'RequestRefused' }>;

/** `refused`: by svc, before an account was called. */
export type OutcomeKind = 'served' | 'failed' | 'refused';

/** The rule that refused a request. */
export interface RefusingRule {
  readonly level: string;
  readonly subject: string;
  readonly ruleId: number;
}

/** How a request ended, in the recording or in the simulation. */
export interface RequestEnd {
  readonly kind: OutcomeKind;
  readonly status: string;
  /** The account that was called last. */
  readonly accountId: AccountId | null;
  /** Why it was refused or failed; null when it was served. */
  readonly reason: string | null;
  readonly rule: RefusingRule | null;
  readonly usage: TokenUsage | null;
  readonly costMicroDollars: MicroDollars | null;
  readonly isFallback: boolean;
  readonly attempts: readonly Attempt[];
  /** The account was not asked in the recording, which answered as recorded. */
  readonly isAnswerAssumed: boolean;
  /** Where `usage` comes from, if not from the recording: the admission's estimate, or nowhere, so that it is 0. */
  readonly assumedUsage: 'estimate' | 'unknown' | null;
}

export const LIMIT_REACHED = 'limit_reached';
/** The reason of a request for which no account was available. */
export const noAccount = (reason: string): string => `no_account_${reason}`;

const NO_ATTEMPTS: readonly Attempt[] = [];

/** How the recording ended a request. */
export function recordedEnd(event: EndedEvent): RequestEnd {
  return event.type === 'RequestRefused' ? endOfRefused(event.data) : endOfCompleted(event.data);
}

const RECORDED = { isAnswerAssumed: false, assumedUsage: null } as const;

function endOfRefused({ status, errorCode, limit, keyId, refusal }: RefusedRequest): RequestEnd {
  return {
    kind: 'refused',
    status,
    accountId: null,
    reason: limit ? LIMIT_REACHED : refusal ? noAccount(refusal.reason) : errorCode,
    rule: limit ? { level: limit.level ?? 'key', subject: limit.subject ?? keyId ?? '', ruleId: limit.ruleId } : null,
    usage: null,
    costMicroDollars: null,
    isFallback: false,
    attempts: NO_ATTEMPTS,
    ...RECORDED,
  };
}

function endOfCompleted(request: CompletedRequest): RequestEnd {
  const { status, errorCode, accountId, usage, costMicroDollars, pin, attempts, refusal } = request;
  const isRefused = refusal !== undefined && attempts.length === 0;
  return {
    kind: isRefused ? 'refused' : status === '200' ? 'served' : 'failed',
    status,
    accountId,
    reason: isRefused ? noAccount(refusal.reason) : status === '200' ? null : (errorCode ?? status),
    rule: null,
    usage,
    costMicroDollars,
    isFallback: pin?.isFallback ?? false,
    attempts,
    ...RECORDED,
  };
}

/** Whether two ends took the same decisions; their cost may differ. */
export const isSameEnd = (a: RequestEnd, b: RequestEnd): boolean =>
  a.kind === b.kind &&
  a.accountId === b.accountId &&
  a.reason === b.reason &&
  a.rule?.ruleId === b.rule?.ruleId &&
  a.rule?.subject === b.rule?.subject;
