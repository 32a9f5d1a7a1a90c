/** Why a sign-in by OIDC failed, by the code in `?error=` of the sign-in page (`src/management/auth/oidc/signInError.ts`). */
const TEXTS: Readonly<Record<string, string>> = {
  oidc_not_configured: 'Sign-in by OIDC is not set up here.',
  oidc_unavailable: 'The OpenID provider could not be reached. Try again shortly, or sign in another way.',
  oidc_declined: 'The sign-in was cancelled at the OpenID provider.',
  oidc_expired: 'This sign-in took longer than 10 minutes or was already used. Start again.',
  oidc_rejected: 'The response of the OpenID provider could not be verified. Start again, or ask an administrator.',
  oidc_email_unverified: 'The OpenID provider has not verified your e-mail address. Verify it there and try again.',
  oidc_not_invited: 'You have no access. Ask an administrator to invite you.',
  oidc_no_role: 'The OpenID provider no longer gives you a role here. Ask an administrator.',
  oidc_disabled: 'Your access was disabled or removed. Ask an administrator.',
  oidc_profile_incomplete: 'The OpenID provider sent no name or e-mail address. Ask an administrator.',
  oidc_email_taken: 'Another operator has your e-mail address. Ask an administrator to invite that operator again.',
  oidc_other_person: 'Another person signed in at the OpenID provider. Sign in there as yourself.',
  oidc_not_fresh: 'The OpenID provider did not confirm a new sign-in. Sign out and in again.',
  rate_limit_exceeded: 'Too many failed attempts. Try again in a minute.',
};

/** @returns what to tell the person; undefined without an error */
export const oidcErrorText = (code: string | null): string | undefined =>
  code === null ? undefined : (TEXTS[code] ?? 'The sign-in failed. Try again.');
