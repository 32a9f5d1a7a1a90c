import type { AccountUsage } from '../../domain/accountUsage/state.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { ProxyError } from '../errors/proxyError.ts';
import type { Failure, ProviderError } from '../providerResponse/failure.ts';
import type { Classified } from './classify.ts';
import type { ExchangeServices } from './exchangeServices.ts';

/** Longer waits would be slept through by clients that obey the header literally (clients.md section 0, row 14). */
const MAX_RETRY_AFTER_SECONDS = 60;

/** What the client gets when a request ends with this failure. */
export function errorForClient(failure: Failure, classified: Classified, now: Instant): ProxyError {
  const error = 'error' in failure ? failure.error : undefined;
  switch (classified.outcome) {
    case 'request_refused':
      return refusedRequest(failure, error);
    case 'usage_limit':
      return limitReached(classified.limitedUntil ?? null, error, now);
    case 'throttled':
      return limitReached(null, error, now, { problem: 'The provider limits the rate of requests' });
    case 'idle':
      return upstream('The provider fell silent', 'stream_idle_timeout');
    case 'cut':
      return upstream('The provider ended its answer early', 'stream_incomplete');
    case 'event_too_large':
      return upstream(
        'An event of the provider, or its answer in one piece, is larger than 16 MiB',
        'stream_event_too_large',
      );
    case 'unreachable':
      return upstream('The provider cannot be reached');
    case 'unauthorized':
    case 'account_gone':
      // Says something of our account and nothing of the request.
      return upstream(error?.message);
    default:
      return failedUpstream(error);
  }
}

/** What the client hears when no attempt helped. @param until when an account will be usable again */
export const lastWord = (failure: Failure, classified: Classified, until: Instant | null, now: Instant): ProxyError =>
  classified.outcome === 'throttled' && until !== null
    ? limitReached(until, 'error' in failure ? failure.error : undefined, now)
    : errorForClient(failure, classified, now);

/** No account could be chosen. @param until when the first one will be usable again */
export function refusalError(
  { hot, cooldowns }: Pick<ExchangeServices, 'hot' | 'cooldowns'>,
  reason: 'empty' | 'exhausted' | 'cooling' | 'tried',
  until: Instant | null,
  now: Instant,
): ProxyError {
  if (reason === 'exhausted') {
    // The provider's own word, rather than a sample that shows a full window, has a type that Codex understands.
    const isSaid = ({ limited }: AccountUsage) => limited?.code === 'usage_limit_reached' && limited.until > now;
    return limitReached(until, undefined, now, { saidByProvider: hot.usage.values().some(isSaid) });
  }
  if (reason !== 'cooling') return new ProxyError('no_accounts');
  const cooling = cooldowns.current.values().find((entry) => entry.until === until);
  if (cooling?.reason === 'throttled' || cooling?.reason === 'usage_limit') return limitReached(until, undefined, now);
  const seconds = until === null ? 1 : Math.max(1, Math.ceil((until - now) / 1_000));
  const problem = `no account answers at the moment; try again in ${seconds}s`;
  const headers: Record<string, string> = seconds <= MAX_RETRY_AFTER_SECONDS ? { 'retry-after': String(seconds) } : {};
  return new ProxyError('upstream_error', { problem }, { status: 503, headers });
}

/** Every account that could serve is used up, or cools down for longer than a request may wait. */
function limitReached(
  until: Instant | null,
  error: ProviderError | undefined,
  now: Instant,
  { problem, saidByProvider = false }: { problem?: string; saidByProvider?: boolean } = {},
): ProxyError {
  const seconds = until === null ? undefined : Math.max(1, Math.ceil((until - now) / 1_000));
  // Codex shows its friendly text, with the time, only for this type (clients.md section 0, row 15).
  const isUsageLimit = saidByProvider || error?.type === 'usage_limit_reached';
  const type = isUsageLimit ? { type: 'usage_limit_reached' } : {};
  const plan = error?.planType === undefined ? {} : { plan_type: error.planType };
  const resets =
    until === null || seconds === undefined ? {} : { resets_at: Math.ceil(until / 1_000), resets_in_seconds: seconds };
  const isShort = seconds !== undefined && seconds <= MAX_RETRY_AFTER_SECONDS;
  const headers: Record<string, string> = isShort ? { 'retry-after': String(seconds) } : {};
  const wording = problem ?? error?.message ?? 'Every account has used up its limit';
  return new ProxyError('rate_limit_exceeded', { problem: wording }, { ...type, ...plan, ...resets, headers });
}

/** The provider's word about the request, with its details and its status. */
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

/** The provider's own failure, with its details (specification, "Upstream handling"). */
function failedUpstream({ message, type, code, param }: Partial<ProviderError> = {}): ProxyError {
  if (code === undefined) return upstream(message);
  return new ProxyError(
    code === 'no_accounts' ? 'no_accounts' : 'upstream_error',
    {},
    { code, ...(message !== undefined && { message }), ...(type !== undefined && { type }), ...(param && { param }) },
  );
}

const upstream = (message: string | undefined, code?: string) =>
  new ProxyError('upstream_error', {}, { ...(message && { message }), ...(code && { code }) });
