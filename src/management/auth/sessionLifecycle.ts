import type { Instant } from '../../domain/core/brands.ts';
import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import { Refusal, refuse } from '../../domain/core/refusal.ts';
import { hasVerifiedTotp, isSessionValid } from '../../domain/dashboardAuth/sessionChecks.ts';
import { credentialsOf } from '../../domain/operator/credentials.ts';
import {
  SessionBegun,
  SessionEnded,
  SessionReauthenticated,
  SessionTotpVerified,
} from '../../domain/session/events.ts';
import type { Session } from '../../domain/session/state.ts';
import { type TotpUseCommand, totpUsed } from '../../domain/session/totpUse.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Capabilities } from '../http/capabilities.ts';
import type { ManagementContext } from '../http/context.ts';
import type { Actors } from './actors.ts';
import { type SessionCookie, sessionExpiry } from './sessionCookie.ts';
import type { SignInRecorder } from './signInRecorder.ts';
import type { VerifiedTotp } from './totpVerification.ts';

interface SessionLifecycleOptions extends Pick<Capabilities, 'views' | 'commands' | 'ids' | 'now'> {
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
   * Replaces a session by one with a new id that a TOTP code has verified.
   * @throws Refusal `totp_invalid_code` when the code was used in the meantime, also on another node, and as `markTotpVerified`
   */
  verify(ctx: ManagementContext, session: Session, code: VerifiedTotp): Promise<Session>;
  /**
   * As `verify`, for what another event has used up: a recovery code, or the code that confirmed the TOTP.
   * @throws Refusal `authentication_required` when the session has ended in the meantime
   */
  markTotpVerified(ctx: ManagementContext, session: Session, totp: VerifiedTotp): Promise<Session>;
  /**
   * Notes that the person proved again who they are.
   * @param code the TOTP code that was part of the proof
   * @throws Refusal `totp_invalid_code` when the code was used in the meantime, also on another node
   */
  markFresh(ctx: ManagementContext, session: Session, code?: VerifiedTotp): Promise<void>;
  /** Ends the client's session, if it has one. */
  end(ctx: ManagementContext): Promise<void>;
}

export function createSessionLifecycle(options: SessionLifecycleOptions): SessionLifecycle {
  const { views, commands, ids, now, signIns, cookie, actors } = options;

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

  /**
   * Records the use of a TOTP code, which one of all nodes can do. During an outage of EventStoreDB the sink of sessions records it, so that
   * people can sign in: then only this node refuses the code from now on.
   */
  async function useCode(command: TotpUseCommand, { actor, correlationId }: Cause): Promise<void> {
    const cause = { actor, correlationId };
    try {
      await commands.handle(subjects.totpUse, command.totpId, command, cause);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'log_unavailable') throw error;
      await signIns.record(totpUsed(command), cause);
    }
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
    async verify(ctx, session, { totpId, step }) {
      const sessionId = ids.newId();
      const cause = await causeAs(ctx, session, { sessionId, usedTotp: true });
      await useCode({ type: 'VerifySession', totpId, step, sessionId, replaces: session.id }, cause);
      return sendCookieIfValid(ctx, sessionId) ?? refuse('authentication_required');
    },
    async markTotpVerified(ctx, session, { totpId, step }) {
      const sessionId = ids.newId();
      const event = SessionTotpVerified({ sessionId, replaces: session.id, totpId, step });
      await signIns.record(event, await causeAs(ctx, session, { sessionId, usedTotp: true }));
      return sendCookieIfValid(ctx, sessionId) ?? refuse('authentication_required');
    },
    async markFresh(ctx, session, code) {
      const usedTotp = hasVerifiedTotp(session, credentialsOf(session.operatorId, views.current));
      const { id: sessionId } = session;
      const cause = await causeAs(ctx, session, { sessionId, usedTotp });
      if (code) await useCode({ type: 'Reauthenticate', ...code, sessionId }, cause);
      else await signIns.record(SessionReauthenticated({ sessionId }), cause);
    },
    async end(ctx) {
      const { session } = ctx.state.client;
      if (session) await signIns.record(SessionEnded({ sessionId: session.id }), ctx.state.cause);
      cookie.clear(ctx);
    },
  };
}
