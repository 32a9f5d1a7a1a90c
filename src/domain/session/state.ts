import type { Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { DashboardAuth } from '../dashboardAuth/state.ts';
import type { SessionEvent } from './events.ts';

export interface Session {
  readonly id: string;
  readonly passwordId: string;
  /** The TOTP that it has verified. */
  readonly totpId: string | null;
  readonly expiresAt: Instant;
}

/** The sessions of the dashboard by their ids. Mutable: the fold owns it. */
export type Sessions = Map<string, Session>;

export function evolve(sessions: Sessions, { type, data, time }: Recorded<SessionEvent>): void {
  switch (type) {
    case 'SessionBegun': {
      const { sessionId: id, passwordId, totpId, expiresAt, replaces } = data;
      if (replaces !== null) sessions.delete(replaces);
      for (const session of sessions.values()) if (session.expiresAt <= time) sessions.delete(session.id);
      sessions.set(id, { id, passwordId, totpId, expiresAt });
      return;
    }
    case 'SessionTotpVerified': {
      const session = sessions.get(data.replaces);
      // It was ended meanwhile: what ended stays so.
      if (!session) return;
      sessions.delete(data.replaces);
      sessions.set(data.sessionId, { ...session, id: data.sessionId, totpId: data.totpId });
      return;
    }
    case 'SessionEnded':
      sessions.delete(data.sessionId);
      return;
  }
}

/** Whether the session still holds: it ends by time, and with the password that began it. */
export const isValid = (session: Session, { password }: DashboardAuth, now: Instant): boolean =>
  session.passwordId === password?.id && now < session.expiresAt;

/** Whether it was verified with the TOTP that is set up now; one that was set up anew asks again. */
export const hasVerifiedTotp = (session: Session, { totp }: DashboardAuth): boolean =>
  totp !== null && session.totpId === totp.id;

/** Whether the session may do nothing but verify TOTP. */
export const isTotpPending = (session: Session, auth: DashboardAuth): boolean =>
  auth.isTotpRequired && auth.totp !== null && !hasVerifiedTotp(session, auth);
