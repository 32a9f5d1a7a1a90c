const SIGN_IN_AGAIN = 'sign in again, or import the account anew';

/** Codes after which asking again is in vain, with what an operator reads (docs/provider.md#permanent-refresh-failures). */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['refresh_token_expired', `Refresh token expired: ${SIGN_IN_AGAIN}`],
  ['refresh_token_reused', `Refresh token was used by another program: ${SIGN_IN_AGAIN}`],
  ['refresh_token_invalidated', `Refresh token was revoked: ${SIGN_IN_AGAIN}`],
  ['invalid_refresh_token', `Refresh token is not valid: ${SIGN_IN_AGAIN}`],
  ['invalid_grant', `The provider does not accept the refresh token: ${SIGN_IN_AGAIN}`],
  ['token_invalidated', `Token was revoked: ${SIGN_IN_AGAIN}`],
  ['token_expired', `Token expired: ${SIGN_IN_AGAIN}`],
  ['app_session_terminated', `The provider ended the session: ${SIGN_IN_AGAIN}`],
  ['account_session_expired', `The session at the provider expired: ${SIGN_IN_AGAIN}`],
  ['account_auth_invalidated', `The provider revoked the sign-in: ${SIGN_IN_AGAIN}`],
  ['account_suspended', 'The provider suspended the account'],
  ['account_deactivated', 'The provider deactivated the account'],
  ['account_deleted', 'The account was deleted at the provider'],
]);

/** Whether a code of the token endpoint means that the account cannot come back by itself. */
export const isPermanentFailure = (code: string): boolean => REASONS.has(code);

/** Why an account is deactivated, in words. */
export const deactivationReason = (code: string): string => REASONS.get(code) ?? `Authentication failed: ${code}`;
