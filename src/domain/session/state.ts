import type { Instant, Sealed } from '../core/brands.ts';
import { BUILT_IN_ADMINISTRATOR } from '../core/builtInAdministrator.ts';
import type { Recorded } from '../core/event.ts';
import type { SessionEvent } from './events.ts';

export interface Session {
  readonly id: string;
  /** Null after a sign-in without the password. */
  readonly passwordId: string | null;
  /** The TOTP that the session was verified with. */
  readonly totpId: string | null;
  /** The passkey that it began with. */
  readonly passkeyId: string | null;
  readonly expiresAt: Instant;
  readonly operatorId: string;
  /** How they signed in, for example `password` or `oidc`. */
  readonly method: string;
  /** When the person last proved who they are; null for sessions that an earlier version of svc began. */
  readonly authenticatedAt: Instant | null;
  /** Null for sessions that an earlier version of svc began. */
  readonly address: Sealed | null;
  readonly userAgent: Sealed | null;
}

/** Dashboard sessions by id. Mutable: the hot state owns the map. */
export type Sessions = Map<string, Session>;

export function evolve(sessions: Sessions, { type, data, time }: Recorded<SessionEvent>): void {
  switch (type) {
    case 'SessionBegun': {
      const { sessionId: id, passwordId, totpId, expiresAt, replaces } = data;
      if (replaces !== null) sessions.delete(replaces);
      for (const session of sessions.values()) if (session.expiresAt <= time) sessions.delete(session.id);
      sessions.set(id, {
        ...{ id, passwordId, totpId, expiresAt },
        operatorId: data.operatorId ?? BUILT_IN_ADMINISTRATOR,
        method: data.method ?? 'password',
        passkeyId: data.passkeyId ?? null,
        authenticatedAt: data.address === undefined ? null : (data.authenticatedAt ?? time),
        address: data.address ?? null,
        userAgent: data.userAgent ?? null,
      });
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
    case 'SessionReauthenticated': {
      const session = sessions.get(data.sessionId);
      if (session) sessions.set(session.id, { ...session, authenticatedAt: time });
      return;
    }
    case 'SessionEnded':
      sessions.delete(data.sessionId);
      return;
  }
}

/** Ends all sessions of an operator. */
export function endSessionsOf(sessions: Sessions, operatorId: string): void {
  for (const session of sessions.values()) if (session.operatorId === operatorId) sessions.delete(session.id);
}
