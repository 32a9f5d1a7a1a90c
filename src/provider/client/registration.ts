/**
 * The provider's registration of the client that the credentials are for. It has one for command-line clients and gives
 * no other (docs/provider.md#oauth-client-registration).
 */
export const CLIENT_ID = 'app_EMoamEEZ73f0CkXaXp7hrann';

export const REFRESH_SCOPE = 'openid profile email';
/** `offline_access` is what brings a refresh token. */
export const SIGN_IN_SCOPE = `${REFRESH_SCOPE} offline_access`;

/** Beyond RFC 6749: organizations in the id token, one page instead of several, and who asks (ourselves). */
export const SIGN_IN_FLAGS = {
  id_token_add_organizations: 'true',
  codex_cli_simplified_flow: 'true',
  originator: 'svc',
} as const;

export const CALLBACK_PATH = '/auth/callback';
