import type { Instant } from '../core/brands.ts';
import type { Session } from '../session/state.ts';
import type { DashboardAuth } from './state.ts';

// `auth` is that of the dashboard for a session of the built-in administrator, and that of the operator for any other one
// (`credentialsOf` in src/domain/operator/credentials.ts); undefined: the operator can no longer sign in.

/** A session ends by time, and with the password that it was started with. */
export const isSessionValid = (session: Session, auth: DashboardAuth | undefined, now: Instant): boolean =>
  auth !== undefined && isOfPassword(session, auth) && now < session.expiresAt;

const isOfPassword = ({ passwordId, method }: Session, { password }: DashboardAuth): boolean =>
  passwordId === null ? method !== 'password' : passwordId === password?.id;

/** Whether the session was verified with the TOTP that is configured now. */
export const hasVerifiedTotp = (session: Session, auth: DashboardAuth | undefined): boolean =>
  auth !== undefined && auth.totp !== null && session.totpId === auth.totp.id;

/** Whether the session may do nothing but verify TOTP. */
export const isTotpPending = (session: Session, auth: DashboardAuth | undefined): boolean =>
  auth?.isTotpRequired === true && auth.totp !== null && !hasVerifiedTotp(session, auth);

/** Whether the session may do nothing but set up TOTP, because it is required and the operator has none. */
export const mustSetUpTotp = (auth: DashboardAuth | undefined): boolean =>
  auth?.isTotpRequired === true && auth.totp === null;
