import { type Instant, iso } from '../../domain/core/brands.ts';
import type { LimitRule } from '../../domain/limits/limitRule.ts';
import { windowAt } from '../../domain/limits/limitWindows.ts';
import type { Admission, RefusedRequest } from '../../domain/request/events.ts';
import { ProxyError, retryAfter } from '../errors/proxyError.ts';

/** A limit of the key refuses the request; carries what `RequestRefused` records about the decision. */
export class LimitExceeded extends ProxyError {
  readonly admission: Admission;
  readonly limit: NonNullable<RefusedRequest['limit']>;

  constructor(
    admission: Admission,
    limit: NonNullable<RefusedRequest['limit']>,
    rule: LimitRule,
    resetAt: Instant,
    now: Instant,
    /** `share`: other nodes have the rest of the limit, and this one gets more of it at `resetAt`. */
    what: 'limit' | 'share' = 'limit',
  ) {
    const problem =
      what === 'share' ? describeShare(rule, secondsUntil(resetAt, now)) : describe(rule, 'exceeded', resetAt);
    super('rate_limit_exceeded', { problem }, resetFields(resetAt, now));
    this.admission = admission;
    this.limit = limit;
  }
}

/** The error that ends a stream at a limit with `on_exceeded: stop`. @param admittedAt in the window of the limit */
export function limitReached(rule: LimitRule, admittedAt: Instant, now: Instant): ProxyError {
  const { resetAt } = windowAt(rule, admittedAt);
  const problem = describe(rule, 'reached, so the response was stopped', resetAt);
  return new ProxyError('rate_limit_exceeded', { problem }, resetFields(resetAt, now));
}

function describe({ limitType, limitWindow, modelFilter }: LimitRule, what: string, resetAt: Instant): string {
  const scope = modelFilter ? ` for model ${modelFilter}` : '';
  return `API key ${limitType} ${limitWindow} limit ${what}${scope}. Usage resets at ${iso(resetAt)}.`;
}

function describeShare({ limitType, limitWindow, modelFilter }: LimitRule, seconds: number): string {
  const scope = modelFilter ? ` for model ${modelFilter}` : '';
  return `API key ${limitType} ${limitWindow} limit${scope}: this node has used its share of what is left. Retry in ${seconds} s.`;
}

function resetFields(resetAt: Instant, now: Instant) {
  const seconds = secondsUntil(resetAt, now);
  return { resets_at: Math.ceil(resetAt / 1_000), resets_in_seconds: seconds, headers: retryAfter(seconds) };
}

const secondsUntil = (resetAt: Instant, now: Instant): number => Math.max(0, Math.ceil((resetAt - now) / 1_000));
