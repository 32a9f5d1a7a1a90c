import type { SignInErrorCode } from '../../domain/core/errorCodes.ts';
import type { ErrorEntry } from './errorEntry.ts';
import { detail, withProblem } from './messages.ts';

/** Who may use management: sessions, the password, TOTP. */
export const signInErrors: Readonly<Record<SignInErrorCode, ErrorEntry>> = {
  authentication_required: {
    status: 401,
    type: 'authentication_error',
    message: withProblem('Sign in first'),
  },
  unauthorized: { status: 401, type: 'authentication_error', message: withProblem('Sign in first') },
  invalid_credentials: {
    status: 401,
    type: 'authentication_error',
    message: (details) => `The ${detail(details, 'credential', 'password')} is wrong`,
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
};
