import { type Instant, instant } from '../../domain/core/brands.ts';
import type { AttemptOutcome } from '../../domain/request/attemptOutcomes.ts';
import type { Failure, ProviderError } from '../providerResponse/failure.ts';

/** What a failure means for the account, for the next attempt and for the client. */
export interface Classification {
  /** Recorded as the attempt's outcome, which `attemptOutcomes` lists. `triedBy` in `domain/routing/select.ts` depends on `throttled`. */
  readonly outcome: Exclude<AttemptOutcome, 'ok' | 'failed_event' | 'client_gone' | 'aborted' | 'limit_reached'>;
  /** Who is at fault. A failure of the client or of svc ends the request, any other leads to the next attempt. */
  readonly owner: 'account' | 'provider' | 'proxy' | 'client' | 'service';
  /**
   * What happens to the account. `limit`: not used until `limitedUntil`; `cool`: cools down, for at least `coolForMs`;
   * `deactivate`: not used until an operator acts; `refresh`: its access token is refreshed.
   */
  readonly effect: 'limit' | 'cool' | 'deactivate' | 'refresh' | 'none';
  readonly limitedUntil?: Instant;
  readonly coolForMs?: number;
  readonly code: string | undefined;
}

const RATE_CODES: ReadonlySet<string | undefined> = new Set(['rate_limit_exceeded', 'usage_limit_reached']);
const QUOTA_CODES: ReadonlySet<string | undefined> = new Set([
  'insufficient_quota',
  'usage_not_included',
  'quota_exceeded',
]);
const GONE_CODES: ReadonlySet<string | undefined> = new Set([
  'account_deactivated',
  'account_suspended',
  'account_deleted',
]);
/** Failures inside a stream that every other account would repeat. */
const REQUEST_CODES: ReadonlySet<string | undefined> = new Set([
  'context_length_exceeded',
  'invalid_prompt',
  'invalid_request_error',
  'model_not_found',
  'unsupported_parameter',
  'content_policy_violation',
]);
/** Statuses about the request itself (docs/decisions/0019-attempts.md). */
const REQUEST_STATUSES: ReadonlySet<number> = new Set([400, 404, 413, 422, 501]);

const HOUR_MS = 3_600_000;
/** A reset further away than this is an error of the provider. */
const MAX_RESET_MS = 366 * 24 * HOUR_MS;

/** Decides what a failure means (docs/provider.md#failure-classes). */
export function classify(failure: Failure, now: Instant): Classification {
  switch (failure.kind) {
    case 'unreachable':
      return { outcome: 'unreachable', owner: 'provider', effect: 'cool', code: undefined };
    case 'proxyFailed':
      return { outcome: 'proxy_failed', owner: 'proxy', effect: 'none', code: failure.code };
    case 'outOfDescriptors':
      return { outcome: 'out_of_descriptors', owner: 'service', effect: 'none', code: undefined };
    case 'notAStream':
      return { outcome: 'not_a_stream', owner: 'provider', effect: 'cool', code: undefined };
    case 'notJson':
      return { outcome: 'not_json', owner: 'provider', effect: 'cool', code: undefined };
    case 'cut':
      return failure.isProxied
        ? { outcome: 'proxy_cut', owner: 'proxy', effect: 'none', code: 'stream_incomplete' }
        : { outcome: 'cut', owner: 'provider', effect: 'cool', code: 'stream_incomplete' };
    case 'idle':
      return { outcome: 'idle', owner: 'provider', effect: 'cool', code: 'stream_idle_timeout' };
    case 'eventTooLarge':
      return { outcome: 'event_too_large', owner: 'provider', effect: 'none', code: 'stream_event_too_large' };
    case 'socketRefused':
      return { outcome: 'socket_refused', owner: 'provider', effect: 'none', code: undefined };
    case 'socketClosed':
      return { outcome: 'socket_closed', owner: 'provider', effect: 'none', code: undefined };
    case 'contextLost':
      return { outcome: 'context_lost', owner: 'client', effect: 'none', code: 'previous_response_not_found' };
    case 'refreshFailed':
      // After a permanent failure, the token refresh has already deactivated the account.
      return {
        outcome: 'tokens_unavailable',
        owner: 'account',
        effect: failure.isPermanent ? 'none' : 'cool',
        code: undefined,
      };
    case 'otherRegion':
      return { outcome: 'other_region', owner: 'account', effect: 'none', code: undefined };
    case 'failureEvent':
      return classifyEvent(failure.error, now);
    case 'status':
      return classifyStatus(failure, now);
  }
}

function classifyEvent(error: ProviderError, now: Instant): Classification {
  const { code } = error;
  if (REQUEST_CODES.has(code)) return { outcome: 'request_refused', owner: 'client', effect: 'none', code };
  return classifyCode(error, now) ?? { outcome: 'provider_error', owner: 'provider', effect: 'cool', code };
}

function classifyStatus(
  { status, error, retryAfterSeconds }: Extract<Failure, { kind: 'status' }>,
  now: Instant,
): Classification {
  const { code } = error;
  if (GONE_CODES.has(code)) return { outcome: 'account_gone', owner: 'account', effect: 'deactivate', code };
  if (status === 401) return { outcome: 'unauthorized', owner: 'account', effect: 'refresh', code };
  if (status === 429) return classifyCode(error, now) ?? throttled(code, retryAfterSeconds);
  if (REQUEST_STATUSES.has(status)) return { outcome: 'request_refused', owner: 'client', effect: 'none', code };
  if (status >= 400 && status < 500) {
    return classifyCode(error, now) ?? { outcome: 'account_refused', owner: 'account', effect: 'cool', code };
  }
  return { outcome: 'provider_error', owner: 'provider', effect: 'cool', code };
}

/** Classifies a limit by its code. Without a reset time, a rate limit is throttling, and a quota is used up for an hour. */
function classifyCode(error: ProviderError, now: Instant): Classification | undefined {
  const { code } = error;
  if (GONE_CODES.has(code)) return { outcome: 'account_gone', owner: 'account', effect: 'deactivate', code };
  const resetAt = resetTimeOf(error, now);
  if (QUOTA_CODES.has(code)) {
    const limitedUntil = resetAt ?? instant(now + HOUR_MS);
    return { outcome: 'usage_limit', owner: 'account', effect: 'limit', limitedUntil, code };
  }
  if (resetAt !== undefined) {
    return { outcome: 'usage_limit', owner: 'account', effect: 'limit', limitedUntil: resetAt, code };
  }
  return RATE_CODES.has(code) ? throttled(code, undefined) : undefined;
}

const throttled = (code: string | undefined, retryAfterSeconds: number | undefined): Classification => ({
  outcome: 'throttled',
  owner: 'account',
  effect: 'cool',
  code,
  ...(retryAfterSeconds !== undefined && { coolForMs: retryAfterSeconds * 1_000 }),
});

function resetTimeOf({ resetsAt, resetsInSeconds }: ProviderError, now: Instant): Instant | undefined {
  const at =
    resetsAt !== undefined
      ? resetsAt * 1_000
      : resetsInSeconds !== undefined
        ? now + resetsInSeconds * 1_000
        : undefined;
  return at !== undefined && at > now && at - now <= MAX_RESET_MS ? instant(Math.round(at)) : undefined;
}
