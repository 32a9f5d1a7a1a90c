import type { Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { SessionEvent } from './events.ts';

export interface Session {
  readonly id: string;
  /** Null after a sign-in without the password. */
  readonly passwordId: string | null;
  /** The TOTP that the session was verified with. */
  readonly totpId: string | null;
  readonly expiresAt: Instant;
}

/** Dashboard sessions by id. Mutable: the hot state owns the map. */
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
      // It ended in the meantime, and stays ended.
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
