/** How an attempt ended, for display. The values are those of `attemptOutcomes` in the service. */
export const OUTCOME_LABELS: Readonly<Record<string, string>> = {
  ok: 'succeeded',
  unauthorized: 'access token refused',
  account_refused: 'account refused',
  account_gone: 'account deactivated by the provider',
  tokens_unavailable: 'tokens could not be refreshed',
  throttled: 'throttled by the provider',
  provider_error: 'provider error',
  unreachable: 'provider unreachable',
  not_a_stream: 'response is not a stream',
  not_json: 'response is not JSON',
  cut: 'response ended early',
  idle: 'provider stopped sending',
  failed_event: 'failed within the response',
  usage_limit: 'usage limit reached',
  event_too_large: 'response exceeds 16 MiB',
  other_region: 'account is in another region now',
  out_of_descriptors: 'svc was out of file descriptors',
  proxy_failed: 'the proxy failed',
  proxy_cut: 'the proxy ended the response early',
  request_refused: 'request refused by the provider',
  socket_refused: 'the provider accepted no websocket',
  socket_closed: 'the provider closed its websocket',
  context_lost: 'the socket of the conversation was closed',
  client_gone: 'client disconnected',
  aborted: 'ended by a shutdown',
  limit_reached: 'stopped at a limit of the key',
};

export const outcomeLabel = (outcome: string): string =>
  Object.hasOwn(OUTCOME_LABELS, outcome) ? (OUTCOME_LABELS[outcome] as string) : outcome.replaceAll('_', ' ');

interface Failure {
  readonly outcome: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly errno: string | null;
}

/** "provider error (status 500, server_error)" */
export function failureText({ outcome, status, code, errno }: Failure): string {
  const details = [status === null ? null : `status ${status}`, code, errno].filter((detail) => detail !== null);
  return details.length === 0 ? outcomeLabel(outcome) : `${outcomeLabel(outcome)} (${details.join(', ')})`;
}
