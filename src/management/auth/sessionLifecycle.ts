import { refuse } from '../../domain/core/refusal.ts';
import { isSessionValid } from '../../domain/dashboardAuth/sessionChecks.ts';
import type { Password } from '../../domain/dashboardAuth/state.ts';
import { SessionBegun, SessionEnded, SessionTotpVerified } from '../../domain/session/events.ts';
import type { Session } from '../../domain/session/state.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import type { Capabilities } from '../http/capabilities.ts';
import type { ManagementContext } from '../http/context.ts';
import { type SessionCookie, sessionExpiry } from './sessionCookie.ts';
import type { SignInRecorder } from './signInRecorder.ts';
import type { VerifiedTotp } from './totpVerification.ts';

interface SessionLifecycleOptions extends Pick<Capabilities, 'views' | 'ids' | 'now'> {
  readonly signIns: SignInRecorder;
  readonly cookie: SessionCookie;
}

/** Starts sessions, replaces their ids and ends them, and sets the client's cookie accordingly. */
export interface SessionLifecycle {
  /**
   * @param previous a session that ended with its password; the new one inherits its expiry and TOTP verification
   * @throws Refusal `invalid_credentials` when the password was changed in the meantime
   */
  start(ctx: ManagementContext, passwordId: Password['id'], previous?: Session): Promise<Session>;
  /**
   * Replaces a session by one with a new id whose TOTP is verified.
   * @throws Refusal `authentication_required` when the session has ended in the meantime
   */
  markTotpVerified(ctx: ManagementContext, session: Session, totp: VerifiedTotp): Promise<Session>;
  /** Ends the client's session, if it has one. */
  end(ctx: ManagementContext): Promise<void>;
}

export function createSessionLifecycle(options: SessionLifecycleOptions): SessionLifecycle {
  const { views, ids, now, signIns, cookie } = options;

  /** Sends the cookie of a session, provided that the session is valid. */
  const sendCookieIfValid = (ctx: ManagementContext, id: string): Session | undefined => {
    const { sessions, dashboardAuth } = views.current;
    const session = sessions.get(id);
    if (!session || !isSessionValid(session, dashboardAuth, now())) return undefined;
    cookie.write(ctx, { sessionId: id, expiresAt: session.expiresAt });
    return session;
  };

  return {
    async start(ctx, passwordId, previous) {
      const sessionId = ids.newId();
      const totpId = previous?.totpId ?? null;
      const expiresAt = previous?.expiresAt ?? sessionExpiry(now());
      const replaces = previous ? null : (ctx.state.client.session?.id ?? null);
      const event = SessionBegun({ sessionId, passwordId, totpId, replaces, expiresAt });
      await signIns.record(event, causeAs(ctx, sessionId, totpId !== null));
      return sendCookieIfValid(ctx, sessionId) ?? refuse('invalid_credentials');
    },
    async markTotpVerified(ctx, session, { totpId, step }) {
      const sessionId = ids.newId();
      const event = SessionTotpVerified({ sessionId, replaces: session.id, totpId, step });
      await signIns.record(event, causeAs(ctx, sessionId, true));
      return sendCookieIfValid(ctx, sessionId) ?? refuse('authentication_required');
    },
    async end(ctx) {
      const { session } = ctx.state.client;
      if (session) await signIns.record(SessionEnded({ sessionId: session.id }), ctx.state.cause);
      cookie.clear(ctx);
    },
  };
}

/** The cause of a request with the session that it has just started as actor. */
function causeAs({ state: { cause } }: ManagementContext, sessionId: string, usedTotp: boolean): Cause {
  return cause.actor.kind === 'operator' ? { ...cause, actor: { ...cause.actor, sessionId, usedTotp } } : cause;
}
