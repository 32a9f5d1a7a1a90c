import type { ErrorCode } from '../domain/errorCodes.ts';

export type ErrorDetails = Readonly<Record<string, unknown>>;

/** How one code looks on the wire. `type` is shown by the proxy surface only. */
export interface ErrorEntry {
  readonly status: number;
  readonly type:
    | 'invalid_request_error'
    | 'authentication_error'
    | 'permission_error'
    | 'rate_limit_error'
    | 'server_error';
  readonly message: string | ((details: ErrorDetails) => string);
  /** The code that callers see, where the specification gives several cases one code. */
  readonly wireCode?: string;
}

const given = (details: ErrorDetails, name: string, otherwise: string) =>
  details[name] === undefined ? otherwise : printable(String(details[name]));
const MAX_GIVEN = 200;
/** What a caller sent, as it can be shown: messages end up in terminals and in the log. */
function printable(text: string): string {
  const short = text.length > MAX_GIVEN ? `${text.slice(0, MAX_GIVEN)}...` : text;
  return short.toWellFormed().replaceAll(/\p{Cc}/gu, '\ufffd');
}
/** A problem with the part of the input that it belongs to. */
const problem = (otherwise: string) => (details: ErrorDetails) =>
  details.problem === undefined
    ? otherwise
    : details.param === undefined
      ? capitalised(String(details.problem))
      : `${String(details.param)} ${String(details.problem)}`;
const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * The one catalogue of errors: status, type and wording of every code derive from here, and so does the documentation
 * (specification, "Errors"; design.md section 5 where it is silent).
 */
export const errors: Readonly<Record<ErrorCode, ErrorEntry>> = {
  invalid_request_error: { status: 400, type: 'invalid_request_error', message: problem('The request is not valid') },
  validation_error: { status: 422, type: 'invalid_request_error', message: 'Invalid request payload' },
  invalid_api_key: {
    status: 401,
    type: 'authentication_error',
    message: problem('Missing or invalid API key: send it as "Authorization: Bearer sk-svc-..."'),
  },
  model_not_allowed: {
    status: 403,
    type: 'permission_error',
    message: (details) => `This API key does not have access to model '${given(details, 'model', '')}'`,
  },
  model_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `The model '${given(details, 'model', '')}' does not exist`,
  },
  insufficient_permissions: { status: 403, type: 'permission_error', message: 'Insufficient permissions' },
  ip_forbidden: {
    status: 403,
    type: 'permission_error',
    message: (details) => `The address ${given(details, 'address', 'you call from')} is not on the allowlist`,
  },
  not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `There is nothing at ${given(details, 'path', 'this path')}`,
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    message: (details) =>
      `${given(details, 'method', 'This method')} is not allowed here; use ${given(details, 'allowed', 'another one')}`,
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    message: problem('Rate limit exceeded'),
  },
  request_too_large: {
    status: 413,
    type: 'invalid_request_error',
    message: (details) => `The request body is larger than ${given(details, 'limit', 'the limit')}`,
  },
  unsupported_media_type: { status: 400, type: 'invalid_request_error', message: problem('Unsupported encoding') },
  upgrade_required: {
    status: 426,
    type: 'invalid_request_error',
    message: 'Websockets are not offered here; send the request with POST',
  },
  server_error: { status: 500, type: 'server_error', message: 'Internal server error' },
  internal_error: { status: 500, type: 'server_error', message: 'Unexpected error' },
  not_implemented: { status: 501, type: 'server_error', message: 'Not implemented' },
  upstream_error: { status: 502, type: 'server_error', message: problem('Upstream error') },
  no_accounts: {
    status: 503,
    type: 'server_error',
    message: problem('No account is available: import one, or reactivate one that is paused or deactivated'),
  },
  log_unavailable: {
    status: 503,
    type: 'server_error',
    message: ({ isUncertain, isCommitted }) =>
      isCommitted
        ? 'The change was made and is safe, but this node does not show it yet; do not repeat it, look again in a moment'
        : isUncertain
          ? 'The event log did not answer in time, so the change may have been made: look before you repeat it, or repeat it with the same Idempotency-Key'
          : 'The event log takes no writes at the moment; nothing was changed. See the log of the service',
  },
  outbox_full: {
    status: 503,
    type: 'server_error',
    message:
      'The store of events has been away for so long that this node can keep no more for it. See docs/operation.md, "The outbox fills"',
  },
  overloaded: {
    status: 503,
    type: 'server_error',
    message: 'The requests under way hold all memory that there is for requests; send this one again in a moment',
  },
  read_models_unavailable: {
    status: 503,
    type: 'server_error',
    message:
      'Request log, usage and history cannot be read at the moment; nothing is lost, and they catch up by themselves. See the log of the service',
  },
  shutting_down: {
    status: 503,
    type: 'server_error',
    message: 'The service is shutting down; send the request again in a moment',
  },
  authentication_required: {
    status: 401,
    type: 'authentication_error',
    message: problem('Sign in first'),
  },
  unauthorized: { status: 401, type: 'authentication_error', message: problem('Sign in first') },
  invalid_credentials: {
    status: 401,
    type: 'authentication_error',
    message: (details) => `The ${given(details, 'credential', 'password')} is wrong`,
  },
  totp_required: {
    status: 401,
    type: 'authentication_error',
    message: 'Enter the code of your authenticator app first: POST /api/dashboard-auth/totp/verify',
  },
  totp_invalid_code: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The code is wrong, too old, or was used before; wait for the next one',
  },
  password_already_configured: {
    status: 409,
    type: 'invalid_request_error',
    message: 'A password is set already: sign in, or change it',
  },
  password_not_configured: { status: 400, type: 'invalid_request_error', message: 'No password is set yet' },
  totp_already_configured: {
    status: 409,
    type: 'invalid_request_error',
    message: 'TOTP is set up already; disable it before you set it up anew',
  },
  totp_not_configured: { status: 400, type: 'invalid_request_error', message: 'TOTP is not set up' },
  cross_origin: {
    status: 403,
    type: 'permission_error',
    message: 'A page of another origin may not change anything here',
  },
  invalid_api_key_payload: { status: 400, type: 'invalid_request_error', message: problem('The API key is not valid') },
  api_key_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `There is no API key ${given(details, 'keyId', 'of this id')}`,
    wireCode: 'not_found',
  },
  account_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `There is no account ${given(details, 'accountId', 'of this id')}`,
  },
  invalid_auth_json: { status: 400, type: 'invalid_request_error', message: problem('The auth file is not valid') },
  duplicate_identity_conflict: {
    status: 409,
    type: 'invalid_request_error',
    message: (details) =>
      `The account ${given(details, 'accountId', '')} exists already. To replace its tokens, import again with ?on_duplicate=replace; to skip known accounts, turn on import_without_overwrite`,
  },
  oauth_flow_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) =>
      `There is no sign-in ${given(details, 'flowId', 'under way')}; begin one with POST /api/oauth/start`,
  },
  device_auth_unavailable: {
    status: 502,
    type: 'server_error',
    message: 'The provider offers no sign-in by device code for this client; sign in by browser instead',
  },
  device_auth_failed: {
    status: 502,
    type: 'server_error',
    message: (details) =>
      `The provider gave no device code (${given(details, 'reason', 'no reason given')}); try again, or sign in by browser`,
  },
  invalid_ip: {
    status: 400,
    type: 'invalid_request_error',
    message: (details) =>
      details.problem === undefined
        ? `'${given(details, 'given', '')}' is neither an IPv4 nor an IPv6 address`
        : problem('')(details),
  },
  ip_exists: {
    status: 409,
    type: 'invalid_request_error',
    message: (details) => `${given(details, 'ip', 'The address')} is on the allowlist already`,
  },
  ip_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `${given(details, 'ip', 'The address')} is not on the allowlist`,
  },
  invalid_totp_config: {
    status: 400,
    type: 'invalid_request_error',
    message: 'TOTP can be required only after it has been set up',
  },
  idempotency_key_reused: {
    status: 422,
    type: 'invalid_request_error',
    message: 'This Idempotency-Key belongs to another write; use a new one for each',
  },
  session_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `There is no session ${given(details, 'sessionId', 'of this id')}`,
  },
  too_many_live_streams: {
    status: 429,
    type: 'rate_limit_error',
    message: 'This session listens to live changes in too many places; close some of them',
  },
  conflict: {
    status: 409,
    type: 'invalid_request_error',
    message: 'Somebody else changed this at the same time; look at it again and repeat the change',
  },
};

/** @returns the sentence of a code for these details */
export function messageOf(code: ErrorCode, details: ErrorDetails = {}): string {
  const { message } = errors[code];
  return typeof message === 'string' ? message : message(details);
}
