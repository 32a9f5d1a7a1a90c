import type { ResourceErrorCode } from '../../domain/core/errorCodes.ts';
import type { ErrorEntry } from './errorEntry.ts';
import { detail, withProblem } from './messages.ts';

/** What a rule of one of the resources refuses: API keys, accounts, sign-ins at the provider, the firewall, settings. */
export const resourceErrors: Readonly<Record<ResourceErrorCode, ErrorEntry>> = {
  invalid_api_key_payload: {
    status: 400,
    type: 'invalid_request_error',
    message: withProblem('The API key is not valid'),
  },
  api_key_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `There is no API key ${detail(details, 'keyId', 'of this id')}`,
    wireCode: 'not_found',
  },
  account_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `There is no account ${detail(details, 'accountId', 'of this id')}`,
  },
  invalid_auth_json: { status: 400, type: 'invalid_request_error', message: withProblem('The auth file is not valid') },
  duplicate_identity_conflict: {
    status: 409,
    type: 'invalid_request_error',
    message: (details) =>
      `The account ${detail(details, 'accountId', '')} exists already. To replace its tokens, import again with ?on_duplicate=replace; to skip known accounts, turn on import_without_overwrite`,
  },
  oauth_flow_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) =>
      `There is no sign-in ${detail(details, 'flowId', 'under way')}; begin one with POST /api/oauth/start`,
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
      `The provider gave no device code (${detail(details, 'reason', 'no reason given')}); try again, or sign in by browser`,
  },
  invalid_ip: {
    status: 400,
    type: 'invalid_request_error',
    message: (details) =>
      details.problem === undefined
        ? `'${detail(details, 'given', '')}' is neither an IPv4 nor an IPv6 address`
        : withProblem('')(details),
  },
  ip_exists: {
    status: 409,
    type: 'invalid_request_error',
    message: (details) => `${detail(details, 'ip', 'The address')} is on the allowlist already`,
  },
  ip_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `${detail(details, 'ip', 'The address')} is not on the allowlist`,
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
    message: (details) => `There is no session ${detail(details, 'sessionId', 'of this id')}`,
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
