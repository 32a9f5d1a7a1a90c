import type { Instant } from '../core/brands.ts';
import type { Session } from '../session/state.ts';
import type { DashboardAuth } from './state.ts';

/**
 * What a session is checked against: that of the dashboard for the built-in administrator, that of the operator for any other one
 * (`credentialsOf` in src/domain/operator/credentials.ts).
 */
export interface Credentials extends DashboardAuth {
  /** By id; the built-in administrator has none. */
  readonly passkeys?: ReadonlyMap<string, unknown>;
}

// `auth` is undefined when the operator can no longer sign in.

/** A session ends by time, and with the password or the passkey that it was started with. */
export const isSessionValid = (session: Session, auth: Credentials | undefined, now: Instant): boolean =>
  auth !== undefined && isOfCredential(session, auth) && now < session.expiresAt;

function isOfCredential(
  { passwordId, passkeyId, method }: Session,
  { password, passkeys = new Map() }: Credentials,
): boolean {
  if (passkeyId !== null) return passkeys.has(passkeyId);
  return passwordId === null ? method !== 'password' && method !== 'passkey' : passwordId === password?.id;
}

/** Whether the session was verified with the TOTP that is configured now. */
export const hasVerifiedTotp = (session: Session, auth: Credentials | undefined): boolean =>
  auth !== undefined && auth.totp !== null && session.totpId === auth.totp.id;

/**
 * Whether TOTP is required of a session. A passkey verifies its user and is both factors (docs/decisions/0086-passkeys.md); a second
 * factor of a sign-in by OIDC is up to the OpenID provider (docs/decisions/0088-oidc-sign-in.md).
 */
export const needsTotp = ({ passkeyId, method }: Session, auth: Credentials | undefined): auth is Credentials =>
  auth?.isTotpRequired === true && passkeyId === null && method !== 'oidc';

/** Whether the session may do nothing but verify TOTP. */
export const isTotpPending = (session: Session, auth: Credentials | undefined): boolean =>
  needsTotp(session, auth) && auth.totp !== null && !hasVerifiedTotp(session, auth);

/** Whether the session may do nothing but set up TOTP, because it is required and the operator has none. */
export const mustSetUpTotp = (session: Session, auth: Credentials | undefined): boolean =>
  needsTotp(session, auth) && auth.totp === null;
