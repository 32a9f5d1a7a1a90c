import { refuse } from '../../domain/core/refusal.ts';
import type { Password } from '../../domain/dashboardAuth/state.ts';
import { SessionBegun, SessionEnded, SessionTotpVerified } from '../../domain/session/events.ts';
import { isValid, type Session } from '../../domain/session/state.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import type { Management } from '../app.ts';
import type { ManagementContext } from '../http/context.ts';
import { type SessionCookie, sessionEnd } from './sessionCookie.ts';

export interface SessionsOptions extends Pick<Management, 'hot' | 'now' | 'newId' | 'signIns'> {
  readonly cookie: SessionCookie;
}

/** Begins sessions, gives them new ids and ends them; the client's cookie follows. */
export interface Sessions {
  /**
   * @param goesOn what the new session keeps of one that ended with its password
   * @throws Refusal `invalid_credentials` when the password was changed meanwhile
   */
  begin(ctx: ManagementContext, passwordId: Password['id'], goesOn?: Session): Promise<Session>;
  /** @throws Refusal `authentication_required` when the session has ended meanwhile */
  verified(ctx: ManagementContext, session: Session, by: { totpId: string; step: number }): Promise<Session>;
  end(ctx: ManagementContext): Promise<void>;
}

export function createSessions({ hot, now, newId, signIns, cookie }: SessionsOptions): Sessions {
  const holding = (ctx: ManagementContext, id: string): Session | undefined => {
    const session = hot.state.sessions.get(id);
    if (!session || !isValid(session, hot.state.dashboardAuth, now())) return undefined;
    cookie.write(ctx, { sessionId: id, expiresAt: session.expiresAt });
    return session;
  };

  return {
    async begin(ctx, passwordId, goesOn) {
      const sessionId = newId();
      const totpId = goesOn?.totpId ?? null;
      const expiresAt = goesOn?.expiresAt ?? sessionEnd(now());
      const replaces = goesOn ? null : (ctx.state.client.session?.id ?? null);
      const event = SessionBegun({ sessionId, passwordId, totpId, replaces, expiresAt });
      await signIns.record(event, acting(ctx, sessionId, totpId !== null));
      return holding(ctx, sessionId) ?? refuse('invalid_credentials');
    },
    async verified(ctx, session, { totpId, step }) {
      const sessionId = newId();
      const event = SessionTotpVerified({ sessionId, replaces: session.id, totpId, step });
      await signIns.record(event, acting(ctx, sessionId, true));
      return holding(ctx, sessionId) ?? refuse('authentication_required');
    },
    async end(ctx) {
      const { session } = ctx.state.client;
      if (session) await signIns.record(SessionEnded({ sessionId: session.id }), ctx.state.cause);
      cookie.clear(ctx);
    },
  };
}

/** The client as the session that has just begun. */
function acting({ state: { cause } }: ManagementContext, sessionId: string, usedTotp: boolean): Cause {
  return cause.actor.kind === 'operator' ? { ...cause, actor: { ...cause.actor, sessionId, usedTotp } } : cause;
}
