/**
 * The outcomes of attempts, as the log records them, and what each one says about the account. This is the only place that
 * decides which failures count against an account (docs/provider.md#failure-classes).
 *
 * `success` and `failure` count in its health; `none` says nothing about it: the client, svc or a limit that the account
 * reports elsewhere is the cause.
 */
export const attemptOutcomes = {
  ok: 'success',
  /** 401: it counts unless a refreshed token was tried next. */
  unauthorized: 'failure',
  account_refused: 'failure',
  account_gone: 'failure',
  tokens_unavailable: 'failure',
  throttled: 'failure',
  provider_error: 'failure',
  unreachable: 'failure',
  not_a_stream: 'failure',
  not_json: 'failure',
  cut: 'failure',
  idle: 'failure',
  failed_event: 'failure',
  /** A healthy account that has used up its limit: its availability says so. */
  usage_limit: 'none',
  /** svc has no file descriptor for a connection to the provider. */
  out_of_descriptors: 'none',
  /** The answer is too long for svc. */
  event_too_large: 'none',
  request_refused: 'none',
  /** The proxy on the way to the provider. */
  proxy_failed: 'none',
  /** The connection through a proxy broke within the response: it is unknown on which side of the proxy. */
  proxy_cut: 'none',
  /** Its refreshed tokens are for a region in which the API key may not be served. */
  other_region: 'none',
  /** The provider serves no websocket here; the account serves requests over HTTP. */
  socket_refused: 'none',
  /** The provider closed a websocket before the response began, as it may at any time. */
  socket_closed: 'none',
  /** The request continues a response of a websocket that is closed: the client sends the whole conversation again. */
  context_lost: 'none',
  client_gone: 'none',
  aborted: 'none',
  limit_reached: 'none',
} as const satisfies Readonly<Record<string, 'success' | 'failure' | 'none'>>;

export type AttemptOutcome = keyof typeof attemptOutcomes;

/** What an outcome says about the account; nothing, if a later version of svc has recorded it. */
export const meaningOf = (outcome: string): 'success' | 'failure' | 'none' =>
  Object.hasOwn(attemptOutcomes, outcome) ? attemptOutcomes[outcome as AttemptOutcome] : 'none';

/** The outcomes that are not the account's failures. */
export const HARMLESS_OUTCOMES: readonly string[] = Object.entries(attemptOutcomes).flatMap(([outcome, meaning]) =>
  meaning === 'failure' ? [] : [outcome],
);
