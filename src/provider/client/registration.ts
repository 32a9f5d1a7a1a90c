/** The provider's only OAuth registration for command-line clients (docs/provider.md#oauth-client-registration). */
export const CLIENT_ID = 'app_EMoamEEZ73f0CkXaXp7hrann';

export const REFRESH_SCOPE = 'openid profile email';
/** `offline_access` requests a refresh token. */
export const SIGN_IN_SCOPE = `${REFRESH_SCOPE} offline_access`;

/** Parameters beyond RFC 6749: organizations in the id token, a single page, and svc as the originator. */
export const SIGN_IN_FLAGS = {
  id_token_add_organizations: 'true',
  codex_cli_simplified_flow: 'true',
  originator: 'svc',
} as const;

/** Path of the redirect URI that the registration allows, on localhost. */
export const CALLBACK_PATH = '/auth/callback';
