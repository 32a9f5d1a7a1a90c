import { type Instant, iso } from '../../domain/core/brands.ts';
import type { LimitedRequest, LimitLevel } from '../../domain/limits/limitLevel.ts';
import type { LimitRule } from '../../domain/limits/limitRule.ts';
import { windowAt } from '../../domain/limits/limitWindows.ts';
import type { Admission, RefusedRequest } from '../../domain/request/events.ts';
import { ProxyError, retryAfter } from '../errors/proxyError.ts';

/** What the log records of a refusal by a limit. */
export interface RefusingDecision {
  /** Whose limits applied. */
  readonly of: LimitedRequest;
  readonly admission: Admission;
  readonly limit: NonNullable<RefusedRequest['limit']> & { readonly level: LimitLevel };
}

/** A limit of the key, its owner or its team refuses the request; carries what `RequestRefused` records about the decision. */
export class LimitExceeded extends ProxyError {
  readonly decision: RefusingDecision;

  constructor(
    decision: RefusingDecision,
    rule: LimitRule,
    resetAt: Instant,
    now: Instant,
    /** `share`: other nodes have the rest of the limit, and this one gets more of it at `resetAt`. */
    what: 'limit' | 'share' = 'limit',
  ) {
    const problem =
      what === 'share'
        ? describeShare(decision.limit.level, rule, secondsUntil(resetAt, now))
        : describe(decision.limit.level, rule, 'exceeded', resetAt);
    super('rate_limit_exceeded', { problem }, resetFields(resetAt, now));
    this.decision = decision;
  }
}

/** The error that ends a stream at a limit with `on_exceeded: stop`. @param admittedAt in the window of the limit */
export function limitReached(level: LimitLevel, rule: LimitRule, admittedAt: Instant, now: Instant): ProxyError {
  const { resetAt } = windowAt(rule, admittedAt);
  const problem = describe(level, rule, 'reached, so the response was stopped', resetAt);
  return new ProxyError('rate_limit_exceeded', { problem }, resetFields(resetAt, now));
}

const NAMES: Readonly<Record<LimitLevel, string>> = { key: 'API key', owner: 'Owner', team: 'Team' };

function describe(
  level: LimitLevel,
  { limitType, limitWindow, modelFilter }: LimitRule,
  what: string,
  resetAt: Instant,
): string {
  const scope = modelFilter ? ` for model ${modelFilter}` : '';
  return `${NAMES[level]} ${limitType} ${limitWindow} limit ${what}${scope}. Usage resets at ${iso(resetAt)}.`;
}

function describeShare(level: LimitLevel, { limitType, limitWindow, modelFilter }: LimitRule, seconds: number): string {
  const scope = modelFilter ? ` for model ${modelFilter}` : '';
  return `${NAMES[level]} ${limitType} ${limitWindow} limit${scope}: this node has used its share of the rest. Retry in ${seconds} s.`;
}

function resetFields(resetAt: Instant, now: Instant) {
  const seconds = secondsUntil(resetAt, now);
  return { resets_at: Math.ceil(resetAt / 1_000), resets_in_seconds: seconds, headers: retryAfter(seconds) };
}

const secondsUntil = (resetAt: Instant, now: Instant): number => Math.max(0, Math.ceil((resetAt - now) / 1_000));
