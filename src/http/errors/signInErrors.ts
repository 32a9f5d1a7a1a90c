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
    message:
      'Two-factor authentication is required. Send the code of your authenticator app to POST /api/dashboard-auth/totp/verify.',
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
};
