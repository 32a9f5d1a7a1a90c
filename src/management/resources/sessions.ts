import { z } from 'zod';
import { instant, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { hasVerifiedTotp, isSessionValid } from '../../domain/dashboardAuth/sessionChecks.ts';
import { credentialsOf } from '../../domain/operator/credentials.ts';
import { roleSchema } from '../../domain/operator/role.ts';
import { SessionEnded } from '../../domain/session/events.ts';
import type { Session } from '../../domain/session/state.ts';
import type { RoleSet } from '../../http/openApi/endpoint.ts';
import { SESSION_SECONDS } from '../auth/sessionCookie.ts';
import type { SignInRecorder } from '../auth/signInRecorder.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { forgotten } from '../http/forgotten.ts';
import { ADMINISTRATORS, EVERYONE, EXAMINERS } from '../http/roles.ts';
import type { View } from '../http/views.ts';
import type { Directory } from '../people/directory.ts';
import { hasRoleIn, roleOf } from '../people/principal.ts';

const SessionEntry = z
  .object({
    session_id: z.string().describe('In the history its subject is session-<session_id>'),
    operator: z.object({ id: z.string(), name: z.string().nullable(), role: roleSchema(z).nullable(), forgotten }),
    method: z.string().describe('How the person signed in, e.g. password or oidc'),
    address: z.string().nullable().describe('Where the session began; null if that is unknown or was forgotten'),
    user_agent: z.string().nullable(),
    began_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    used_totp: z.boolean(),
    is_current: z.boolean().describe('Whether this request belongs to the session'),
    forgotten,
  })
  .meta({ id: 'Session' });

const routes = {
  list: describeRoute({
    roles: EVERYONE,
    at: 'past',
    summary: 'List dashboard sessions, latest first: the own ones, and to administrators and auditors all',
    response: z.object({ sessions: z.array(SessionEntry) }),
  }),
  end: describeRoute({
    roles: EVERYONE,
    summary: 'Sign out a session: an own one, and as an administrator any',
    response: z.object({ status: z.literal('ended') }),
    errors: ['session_not_found'],
  }),
  endOthers: describeRoute({
    roles: EVERYONE,
    summary: 'Sign out all other sessions: the own ones, and as an administrator those of everyone',
    response: z.object({ status: z.literal('ended'), count: z.int() }),
  }),
};

interface SessionsOptions extends Pick<Capabilities, 'views' | 'now' | 'directory'> {
  readonly signIns: SignInRecorder;
}

/** Sessions of the dashboard; `auth/sessionLifecycle.ts` starts them. Everyone sees and ends their own; administrators and auditors see all, and administrators end all. */
export const sessionRoutes = ({ views, now, directory, signIns }: SessionsOptions) => {
  const sessionsOf = (
    { state: { principal } }: ManagementContext,
    ofEveryone: RoleSet,
    { state, now: at }: Pick<View, 'state' | 'now'> = { state: views.current, now: now() },
  ) => {
    if (!principal) return [];
    const isLimited = !hasRoleIn(principal, ofEveryone);
    return [...state.sessions.values()].filter(
      (session) =>
        (!isLimited || session.operatorId === principal.operatorId) &&
        isSessionValid(session, credentialsOf(session.operatorId, state), at),
    );
  };
  const end = (ctx: ManagementContext, { id }: Session) =>
    signIns.record(SessionEnded({ sessionId: id }), ctx.state.cause);

  return newRouter('/api/sessions')
    .get('/', routes.list, async (ctx) => {
      const view = await views.asOf(ctx);
      const sessions = sessionsOf(ctx, EXAMINERS, view).map((session) => ({
        ...sessionEntry(session, view, directory),
        is_current: session.id === ctx.state.client.session?.id,
      }));
      return { sessions: sessions.sort((a, b) => (a.began_at < b.began_at ? 1 : -1)) };
    })
    .delete('/:id', routes.end, async (ctx) => {
      const sessionId = ctx.params.id ?? '';
      const session = sessionsOf(ctx, ADMINISTRATORS).find(({ id }) => id === sessionId);
      await end(ctx, session ?? refuse('session_not_found', { sessionId }));
      return { status: 'ended' };
    })
    .delete('/', routes.endOthers, async (ctx) => {
      const others = sessionsOf(ctx, ADMINISTRATORS).filter(({ id }) => id !== ctx.state.client.session?.id);
      await Promise.all(others.map((session) => end(ctx, session)));
      return { status: 'ended', count: others.length };
    })
    .routes();
};

function sessionEntry(session: Session, { state }: View, directory: Directory) {
  const { id, operatorId, method, address, userAgent, expiresAt } = session;
  const person = directory.sealedFields();
  const origin = directory.sealedFields();
  return {
    session_id: id,
    operator: {
      id: operatorId,
      name: directory.asOf(state).nameOf(operatorId, person),
      role: roleOf(operatorId, state.operators) ?? null,
      ...person.forgotten(),
    },
    method,
    address: origin.open('address', address),
    user_agent: origin.open('user_agent', userAgent),
    began_at: iso(instant(expiresAt - SESSION_SECONDS * 1_000)),
    expires_at: iso(expiresAt),
    used_totp: hasVerifiedTotp(session, credentialsOf(operatorId, state)),
    ...origin.forgotten(),
  };
}
