import type { CompletedRequest, TokenUsage } from '../../domain/request/events.ts';
import { ProxyError } from '../errors/proxyError.ts';
import type { Ending } from '../providerResponse/ending.ts';
import type { ProviderError } from '../providerResponse/failure.ts';
import type { Outcome } from '../settlement/settlement.ts';

// The outcomes that the log records, one for each way in which a request can end.

/** The provider completed its response. */
export const outcomeOfCompletion = (usage: TokenUsage | undefined, { serviceTier }: Ending): Outcome => ({
  status: '200',
  code: null,
  message: null,
  usage,
  serviceTier,
});

const DEFAULT_CODE = 'upstream_error';
const DEFAULT_MESSAGE = 'The provider failed the request';

/** The provider ended its response with an error, which the client receives. */
export const outcomeOfProviderFailure = (
  usage: TokenUsage | undefined,
  { serviceTier }: Ending,
  { code = DEFAULT_CODE, message = DEFAULT_MESSAGE }: ProviderError,
): Outcome => ({ status: 'error', code, message, usage, serviceTier });

/** The error for a client that cannot read the event in which the provider reported it. */
export const errorOfEnding = ({ code = DEFAULT_CODE, message = DEFAULT_MESSAGE, type }: ProviderError): ProxyError =>
  new ProxyError('upstream_error', {}, { message, code, ...(type && { type }) });

/** The client gets an error: as a status, or as an event if its stream has begun. @param hasBegun whether it has */
export function outcomeOfError(
  { status, body: { error } }: ProxyError,
  hasBegun: boolean,
  usage?: TokenUsage,
  refusal?: CompletedRequest['refusal'],
): Outcome {
  const { code, message } = error;
  return { status: hasBegun ? 'error' : String(status), code, message, usage, ...(refusal && { refusal }) };
}

/** The client disconnected. */
export const outcomeOfDisconnect = (usage: TokenUsage | undefined): Outcome => ({
  status: 'error',
  code: 'client_disconnected',
  message: 'The client disconnected',
  usage,
});
