const SIGN_IN_AGAIN = 'sign in again or import the account again';

/** Codes of permanent failures, with the reason that operators see (docs/provider.md#permanent-refresh-failures). */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['refresh_token_expired', `The refresh token expired: ${SIGN_IN_AGAIN}`],
  ['refresh_token_reused', `The refresh token was used by another program: ${SIGN_IN_AGAIN}`],
  ['refresh_token_invalidated', `The refresh token was revoked: ${SIGN_IN_AGAIN}`],
  ['invalid_refresh_token', `The refresh token is not valid: ${SIGN_IN_AGAIN}`],
  ['invalid_grant', `The provider does not accept the refresh token: ${SIGN_IN_AGAIN}`],
  ['token_invalidated', `The token was revoked: ${SIGN_IN_AGAIN}`],
  ['token_expired', `The token expired: ${SIGN_IN_AGAIN}`],
  ['app_session_terminated', `The provider ended the session: ${SIGN_IN_AGAIN}`],
  ['account_session_expired', `The session at the provider expired: ${SIGN_IN_AGAIN}`],
  ['account_auth_invalidated', `The provider revoked the sign-in: ${SIGN_IN_AGAIN}`],
  ['account_suspended', 'The provider suspended the account'],
  ['account_deactivated', 'The provider deactivated the account'],
  ['account_deleted', 'The account was deleted at the provider'],
]);

/** Whether an error code of the token endpoint means that no later attempt can succeed. */
export const isPermanentFailure = (code: string): boolean => REASONS.has(code);

/** @returns why an account is deactivated, for operators */
export const deactivationReason = (code: string): string => REASONS.get(code) ?? `Authentication failed: ${code}`;
