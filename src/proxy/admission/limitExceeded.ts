import type { Instant } from '../../domain/core/brands.ts';
import type { Admission, RefusedRequest } from '../../domain/request/events.ts';
import { ProxyError, retryAfter } from '../errors/proxyError.ts';

/** A limit of the key refuses the request; carries what `RequestRefused` records about the decision. */
export class LimitExceeded extends ProxyError {
  readonly admission: Admission;
  readonly limit: NonNullable<RefusedRequest['limit']>;

  constructor(
    admission: Admission,
    limit: NonNullable<RefusedRequest['limit']>,
    problem: string,
    resetAt: Instant,
    now: Instant,
  ) {
    const seconds = Math.max(0, Math.ceil((resetAt - now) / 1_000));
    super(
      'rate_limit_exceeded',
      { problem },
      {
        resets_at: Math.ceil(resetAt / 1_000),
        resets_in_seconds: seconds,
        headers: retryAfter(seconds),
      },
    );
    this.admission = admission;
    this.limit = limit;
  }
}
