import type { AccountUsage } from '../../domain/accountUsage/state.ts';
import { regionsOf } from '../../domain/apiKey/regionsOf.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { Selection } from '../../domain/routing/select.ts';
import { outOfDescriptors, ProxyError, retryAfter } from '../errors/proxyError.ts';
import type { Failure, ProviderError } from '../providerResponse/failure.ts';
import type { AdmittedRequest } from './admittedRequest.ts';
import type { Classification } from './classify.ts';
import type { Accounts } from './ports.ts';

/** @returns the error that a client gets when its request ends with this failure */
export function errorForClient(failure: Failure, classification: Classification, now: Instant): ProxyError {
  const error = 'error' in failure ? failure.error : undefined;
  switch (classification.outcome) {
    case 'request_refused':
      return refusedRequest(failure, error);
    case 'usage_limit':
      return limitReached(classification.limitedUntil ?? null, error, now);
    case 'throttled':
      return limitReached(null, error, now, { problem: 'The provider limits the rate of requests. Retry later.' });
    case 'idle':
      return upstreamError('The provider stopped sending. Retry the request.', 'stream_idle_timeout');
    case 'cut':
    case 'proxy_cut':
      return upstreamError('The provider ended its response early. Retry the request.', 'stream_incomplete');
    case 'event_too_large':
      return upstreamError(
        "An event or the JSON body of the provider's response exceeds 16 MiB",
        'stream_event_too_large',
      );
    case 'proxy_failed': {
      const problem = failure.kind === 'proxyFailed' ? failure.problem : 'failed';
      return upstreamError(`The proxy between svc and the provider ${problem}. Retry later.`, 'outgoing_proxy_failed');
    }
    case 'socket_refused':
      return upstreamError(
        'The provider accepts no websocket at the moment. Send the request by POST.',
        'socket_refused',
      );
    case 'socket_closed':
      return upstreamError('The provider closed its websocket. Retry the request.', 'socket_closed');
    case 'context_lost': {
      const id = failure.kind === 'contextLost' ? failure.previousResponseId : '';
      return new ProxyError('previous_response_not_found', { id, param: 'previous_response_id' });
    }
    case 'out_of_descriptors':
      return outOfDescriptors();
    case 'unreachable':
      return upstreamError('The provider is unreachable. Retry later.');
    case 'unauthorized':
    case 'account_gone':
      // The code is about our account, not about the request.
      return upstreamError(error?.message);
    default:
      return providerError(error);
  }
}

/**
 * @returns the error after the last attempt: a limit ends with that of the first account, not with that of the last one tried
 * @param until when an account is available again
 */
export const finalError = (
  failure: Failure,
  classification: Classification,
  until: Instant | null,
  now: Instant,
): ProxyError =>
  (classification.outcome === 'throttled' || classification.outcome === 'usage_limit') && until !== null
    ? limitReached(until, 'error' in failure ? failure.error : undefined, now)
    : errorForClient(failure, classification, now);

/** Why no account can be chosen. */
export interface NoAccountReason {
  readonly reason: Extract<Selection, { kind: 'none' }>['reason'];
  /** When the first account in that state is available again. */
  readonly until: Instant | null;
  /** When any account is available again. */
  readonly againAt: Instant | null;
}

/** @returns the error when no account can be chosen */
export function noAccountError(
  { hot, cooldowns }: Pick<Accounts, 'hot' | 'cooldowns'>,
  { key }: Pick<AdmittedRequest, 'key'>,
  { reason, until, againAt }: NoAccountReason,
  now: Instant,
): ProxyError {
  if (reason === 'no_region') {
    const regions = regionsOf(hot, key?.id ?? null) ?? [];
    // The key was deleted while its request was open.
    if (regions.length === 0) return new ProxyError('invalid_api_key');
    return new ProxyError('no_account_in_region', { regions: regions.join(', ') });
  }
  if (reason === 'exhausted') {
    // Codex knows the type `usage_limit_reached`, which is true only if the provider itself has reported the limit. A sample
    // of a full window does not suffice.
    const isReported = ({ limited }: AccountUsage) => limited?.code === 'usage_limit_reached' && limited.until > now;
    return limitReached(againAt, undefined, now, { isReported: hot.usage.values().some(isReported) });
  }
  if (reason !== 'cooling') return new ProxyError('no_accounts');
  const coolDowns = hot.accounts.keys().map((accountId) => cooldowns.get(accountId));
  const first = coolDowns.find((coolDown) => coolDown?.until === until);
  if (first?.cause === 'throttled' || first?.cause === 'usage_limit') return limitReached(againAt, undefined, now);
  const seconds = againAt === null ? 1 : Math.max(1, Math.ceil((againAt - now) / 1_000));
  const problem = `all accounts failed recently; retry in ${seconds} s`;
  return new ProxyError('upstream_error', { problem }, { status: 503, headers: retryAfter(seconds) });
}

/** Every account that could serve has reached its limit, or cools down for longer than a request may wait. */
function limitReached(
  until: Instant | null,
  error: ProviderError | undefined,
  now: Instant,
  { problem, isReported = false }: { problem?: string; isReported?: boolean } = {},
): ProxyError {
  const seconds = until === null ? undefined : Math.max(1, Math.ceil((until - now) / 1_000));
  // docs/clients.md#codex-knows-only-usage_limit_reached
  const isUsageLimit = isReported || error?.type === 'usage_limit_reached';
  const type = isUsageLimit ? { type: 'usage_limit_reached' } : {};
  const plan = error?.planType === undefined ? {} : { plan_type: error.planType };
  const resets =
    until === null || seconds === undefined ? {} : { resets_at: Math.ceil(until / 1_000), resets_in_seconds: seconds };
  const text = problem ?? error?.message ?? 'Every account has used up its limit';
  return new ProxyError(
    'rate_limit_exceeded',
    { problem: text },
    { ...type, ...plan, ...resets, headers: retryAfter(seconds) },
  );
}

/** The error of a request that the provider rejected: its status and its details. */
function refusedRequest(failure: Failure, error: ProviderError | undefined): ProxyError {
  const status = failure.kind === 'status' ? failure.status : 400;
  const code =
    status === 501
      ? 'not_implemented'
      : status === 404
        ? 'not_found'
        : status === 413
          ? 'request_too_large'
          : 'invalid_request_error';
  const { message, type, code: providerCode, param } = error ?? {};
  return new ProxyError(
    code,
    {},
    {
      status,
      ...(message !== undefined && { message }),
      ...(type !== undefined && { type }),
      ...(providerCode !== undefined && { code: providerCode }),
      ...(param !== undefined && { param }),
    },
  );
}

/** A failure of the provider itself, with its details (docs/decisions/0019-attempts.md). */
function providerError({ message, type, code, param }: Partial<ProviderError> = {}): ProxyError {
  if (code === undefined) return upstreamError(message);
  return new ProxyError(
    code === 'no_accounts' ? 'no_accounts' : 'upstream_error',
    {},
    { code, ...(message !== undefined && { message }), ...(type !== undefined && { type }), ...(param && { param }) },
  );
}

const upstreamError = (message: string | undefined, code?: string) =>
  new ProxyError('upstream_error', {}, { ...(message && { message }), ...(code && { code }) });
