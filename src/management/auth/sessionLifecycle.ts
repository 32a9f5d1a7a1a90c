import type { Instant } from '../../domain/core/brands.ts';
import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { hasVerifiedTotp, isSessionValid } from '../../domain/dashboardAuth/sessionChecks.ts';
import { credentialsOf } from '../../domain/operator/credentials.ts';
import {
  SessionBegun,
  SessionEnded,
  SessionReauthenticated,
  SessionTotpVerified,
} from '../../domain/session/events.ts';
import type { Session } from '../../domain/session/state.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import type { Capabilities } from '../http/capabilities.ts';
import type { ManagementContext } from '../http/context.ts';
import type { Actors } from './actors.ts';
import { type SessionCookie, sessionExpiry } from './sessionCookie.ts';
import type { SignInRecorder } from './signInRecorder.ts';
import type { VerifiedTotp } from './totpVerification.ts';

interface SessionLifecycleOptions extends Pick<Capabilities, 'views' | 'ids' | 'now'> {
  readonly signIns: SignInRecorder;
  readonly cookie: SessionCookie;
  readonly actors: Actors;
}

/** Who signed in, and how. */
export interface SignedIn {
  readonly operatorId: string;
  /** The password that was entered: the session ends with it. Null after a sign-in without one. */
  readonly passwordId: string | null;
  /** The passkey that was used: the session ends with it. */
  readonly passkeyId?: string;
  /** For example `password`, `passkey` or `oidc`. */
  readonly method: string;
  /** When they proved who they are, if that was earlier. */
  readonly authenticatedAt?: Instant;
}

/** Starts sessions, replaces their ids and ends them, and sets the client's cookie accordingly. */
export interface SessionLifecycle {
  /**
   * @param previous a session that ended with its password; the new one inherits its expiry and TOTP verification
   * @throws Refusal `invalid_credentials` | `passkey_rejected` when the password was changed, or the passkey removed, in the meantime
   */
  start(ctx: ManagementContext, signedIn: SignedIn, previous?: Session): Promise<Session>;
  /**
   * Replaces a session by one with a new id whose TOTP is verified.
   * @throws Refusal `authentication_required` when the session has ended in the meantime
   */
  markTotpVerified(ctx: ManagementContext, session: Session, totp: VerifiedTotp): Promise<Session>;
  /** Notes that the person proved again who they are. */
  markFresh(ctx: ManagementContext, session: Session): Promise<void>;
  /** Ends the client's session, if it has one. */
  end(ctx: ManagementContext): Promise<void>;
}

export function createSessionLifecycle(options: SessionLifecycleOptions): SessionLifecycle {
  const { views, ids, now, signIns, cookie, actors } = options;

  /** Sends the cookie of a session, provided that the session is valid. */
  const sendCookieIfValid = (ctx: ManagementContext, id: string): Session | undefined => {
    const session = views.current.sessions.get(id);
    const auth = session && credentialsOf(session.operatorId, views.current);
    if (!session || !isSessionValid(session, auth, now())) return undefined;
    cookie.write(ctx, { sessionId: id, expiresAt: session.expiresAt });
    return session;
  };

  /** The cause of a request with the session that it has just started as actor. */
  async function causeAs(
    { state: { client, cause } }: ManagementContext,
    { operatorId, method }: Pick<SignedIn, 'operatorId' | 'method'>,
    { sessionId, usedTotp }: { sessionId: string; usedTotp: boolean },
  ): Promise<Cause> {
    return { ...cause, actor: await actors.of(client, { operatorId, method, sessionId, usedTotp }) };
  }

  return {
    async start(ctx, signedIn, previous) {
      const { operatorId, passwordId, passkeyId, method, authenticatedAt } = signedIn;
      const { client } = ctx.state;
      const sessionId = ids.newId();
      const totpId = previous?.totpId ?? null;
      const expiresAt = previous?.expiresAt ?? sessionExpiry(now());
      const replaces = previous ? null : (client.session?.id ?? null);
      const { address, userAgent } = await actors.seal(operatorId, client.address, client.userAgent);
      const event = SessionBegun({
        ...{ sessionId, passwordId, totpId, replaces, expiresAt },
        ...(operatorId !== BUILT_IN_ADMINISTRATOR && { operatorId }),
        ...(method !== 'password' && { method }),
        ...{ address, userAgent },
        ...(authenticatedAt !== undefined && { authenticatedAt }),
        ...(passkeyId !== undefined && { passkeyId }),
      });
      await signIns.record(event, await causeAs(ctx, signedIn, { sessionId, usedTotp: totpId !== null }));
      return (
        sendCookieIfValid(ctx, sessionId) ??
        refuse(passkeyId === undefined ? 'invalid_credentials' : 'passkey_rejected')
      );
    },
    async markTotpVerified(ctx, session, { totpId, step }) {
      const sessionId = ids.newId();
      const event = SessionTotpVerified({ sessionId, replaces: session.id, totpId, step });
      await signIns.record(event, await causeAs(ctx, session, { sessionId, usedTotp: true }));
      return sendCookieIfValid(ctx, sessionId) ?? refuse('authentication_required');
    },
    async markFresh(ctx, session) {
      const usedTotp = hasVerifiedTotp(session, credentialsOf(session.operatorId, views.current));
      const { id: sessionId } = session;
      const event = SessionReauthenticated({ sessionId });
      await signIns.record(event, await causeAs(ctx, session, { sessionId, usedTotp }));
    },
    async end(ctx) {
      const { session } = ctx.state.client;
      if (session) await signIns.record(SessionEnded({ sessionId: session.id }), ctx.state.cause);
      cookie.clear(ctx);
    },
  };
}
