import type { SignInErrorCode } from '../../domain/core/errorCodes.ts';
import type { ErrorEntry } from './errorEntry.ts';
import { detail, withProblem } from './messages.ts';

/** Errors of access to management: sessions, password, two-factor authentication. */
export const signInErrors: Readonly<Record<SignInErrorCode, ErrorEntry>> = {
  authentication_required: {
    status: 401,
    type: 'authentication_error',
    message: withProblem('You are not signed in. Sign in and repeat the request.'),
  },
  unauthorized: {
    status: 401,
    type: 'authentication_error',
    message: withProblem('You are not signed in. Sign in and repeat the request.'),
  },
  invalid_credentials: {
    status: 401,
    type: 'authentication_error',
    message: (details) => `The ${detail(details, 'credential', 'password')} is wrong`,
  },
  totp_required: {
    status: 401,
    type: 'authentication_error',
    message: withProblem(
      'Two-factor authentication is required. Send the code of your authenticator app to POST /api/dashboard-auth/totp/verify.',
    ),
  },
  totp_invalid_code: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The code is wrong, expired or already used. Wait for the next one.',
  },
  password_already_configured: {
    status: 409,
    type: 'invalid_request_error',
    message: 'A password is already set. Sign in with it, or change it.',
  },
  password_not_configured: {
    status: 400,
    type: 'invalid_request_error',
    message: 'No password is set. Set one by POST /api/dashboard-auth/password/setup.',
  },
  totp_already_configured: {
    status: 409,
    type: 'invalid_request_error',
    message: 'Two-factor authentication is already set up. Disable it before you set it up again.',
  },
  totp_not_configured: {
    status: 400,
    type: 'invalid_request_error',
    message: 'Two-factor authentication is not set up',
  },
  cross_origin: {
    status: 403,
    type: 'permission_error',
    message: 'Changes from pages of another origin are rejected. Use the dashboard under this address.',
  },
  reauthentication_required: {
    status: 401,
    type: 'authentication_error',
    message:
      'This cannot be undone, and you signed in more than 10 minutes ago. Prove again who you are by POST /api/dashboard-auth/reauthenticate, or with OIDC at GET /api/dashboard-auth/oidc/start?reauthenticate=true, and repeat the request.',
  },
  local_sign_in_disabled: {
    status: 403,
    type: 'permission_error',
    message:
      'Operators sign in by OIDC only (SVC_LOCAL_SIGN_IN). Open GET /api/dashboard-auth/oidc/start in a browser.',
  },
  scope_required: {
    status: 403,
    type: 'permission_error',
    message:
      'This cannot be undone, and the management token lacks the scope "irreversible". Use one that has it, or sign in.',
  },
  invalid_invitation: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The invitation is unknown, expired or was already used. Ask an administrator for a new link.',
  },
  passkeys_unavailable: {
    status: 409,
    type: 'invalid_request_error',
    message: withProblem(
      'Passkeys are not available here. Set SVC_PUBLIC_URL to the HTTPS address under which people open the dashboard.',
    ),
  },
  passkey_rejected: {
    status: 401,
    type: 'authentication_error',
    message: withProblem('The passkey was not accepted. Try another one, or sign in another way.'),
  },
  passkey_counter_regressed: {
    status: 401,
    type: 'authentication_error',
    message: (details) =>
      `The counter of the passkey went back from ${detail(details, 'lastCounter', '?')} to ${detail(details, 'counter', '?')}: a copy of it may exist. ` +
      'Sign in another way, remove this passkey and add a new one.',
  },
  passkey_challenge_expired: {
    status: 400,
    type: 'invalid_request_error',
    message: (details) =>
      `The challenge for the passkey is not valid (${detail(details, 'problem', 'it is unknown or older than 5 minutes')}). Start again.`,
  },
  passkey_exists: {
    status: 409,
    type: 'invalid_request_error',
    message: 'This passkey is already registered. Use another authenticator, or remove the passkey first.',
  },
  passkey_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: 'There is no such passkey. List yours by GET /api/dashboard-auth/passkeys.',
  },
  invalid_passkey: {
    status: 400,
    type: 'invalid_request_error',
    message: withProblem('The passkey cannot be registered'),
  },
  last_sign_in_method: {
    status: 409,
    type: 'invalid_request_error',
    message:
      'This passkey is the only way in which you can sign in. Add another one first, or ask an administrator for a new invitation link and set a password with it.',
  },
  invalid_token: {
    status: 400,
    type: 'invalid_request_error',
    message: withProblem('The management token cannot be created'),
  },
  token_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: 'There is no such management token. List them by GET /api/tokens.',
  },
  invalid_operator: {
    status: 400,
    type: 'invalid_request_error',
    message: withProblem('The operator is not valid'),
  },
  operator_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: 'There is no such operator. List them by GET /api/operators.',
  },
  operator_exists: {
    status: 409,
    type: 'invalid_request_error',
    message: (details) => `Another operator has this ${detail(details, 'field', 'name')}. Choose another one.`,
  },
  operator_held: {
    status: 409,
    type: 'invalid_request_error',
    message:
      'A legal hold is on events since the operator was invited, so that name and addresses may not be destroyed. Lift the hold first.',
  },
  callers_held: {
    status: 409,
    type: 'invalid_request_error',
    message:
      'A legal hold is on requests of these callers, so that their addresses may not be destroyed. Lift the hold first.',
  },
  last_administrator: {
    status: 409,
    type: 'invalid_request_error',
    message:
      'This is the last administrator. Make another operator an administrator first, or set the password of the built-in administrator.',
  },
};
