/**
 * Why a sign-in by OIDC ended without a session, as `?error=` of the sign-in page, which explains it
 * (`dashboard/src/lib/session/oidcErrors.ts`). Responses to browsers: there is no JSON.
 */
export const oidcErrorCodes = [
  /** Sign-in by OIDC is not set up. */
  'oidc_not_configured',
  /** The provider did not respond, or not with what OpenID Connect asks for. */
  'oidc_unavailable',
  /** The person cancelled at the provider, or it refused. */
  'oidc_declined',
  /** The flow is older than 10 minutes, was finished before, or began in another browser. */
  'oidc_expired',
  /** The response is not one to this flow, or the ID token is not valid. */
  'oidc_rejected',
  /** There is an invitation to the address, or an operator has it, and the provider has not verified it. */
  'oidc_email_unverified',
  /** Neither an invitation nor a rule. */
  'oidc_not_invited',
  /** Added by a rule, and no rule gives a role any more. */
  'oidc_no_role',
  /** An administrator disabled or removed the operator. */
  'oidc_disabled',
  /** To add an operator takes a name and an e-mail address that no other operator has. */
  'oidc_profile_incomplete',
  'oidc_email_taken',
  /** Authenticating again: another person signed in. */
  'oidc_other_person',
  /** Authenticating again: the provider does not say that the person has just proved who they are. */
  'oidc_not_fresh',
  'rate_limit_exceeded',
  'log_unavailable',
  'internal_error',
] as const;

export type OidcErrorCode = (typeof oidcErrorCodes)[number];

/** A sign-in by OIDC that ends without a session. */
export class OidcSignInError extends Error {
  override readonly name = 'OidcSignInError';
  readonly code: OidcErrorCode;
  /** The operator in whose name it was tried. */
  readonly operatorId: string | undefined;

  constructor(code: OidcErrorCode, operatorId?: string) {
    super(code);
    this.code = code;
    this.operatorId = operatorId;
  }
}
