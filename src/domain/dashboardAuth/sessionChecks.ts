import type { Instant } from '../core/brands.ts';
import type { Session } from '../session/state.ts';
import type { DashboardAuth } from './state.ts';

/** A session ends by time, and with the password that it was started with. */
export const isSessionValid = (session: Session, { password }: DashboardAuth, now: Instant): boolean =>
  session.passwordId === password?.id && now < session.expiresAt;

/** Whether the session was verified with the TOTP that is configured now. */
export const hasVerifiedTotp = (session: Session, { totp }: DashboardAuth): boolean =>
  totp !== null && session.totpId === totp.id;

/** Whether the session may do nothing but verify TOTP. */
export const isTotpPending = (session: Session, auth: DashboardAuth): boolean =>
  auth.isTotpRequired && auth.totp !== null && !hasVerifiedTotp(session, auth);
