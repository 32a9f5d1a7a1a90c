import { z } from 'zod';
import { instant, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { hasVerifiedTotp, isSessionValid } from '../../domain/dashboardAuth/sessionChecks.ts';
import { SessionEnded } from '../../domain/session/events.ts';
import type { Session } from '../../domain/session/state.ts';
import { SESSION_SECONDS } from '../auth/sessionCookie.ts';
import type { SignInRecorder } from '../auth/signInRecorder.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';

const SessionEntry = z
  .object({
    session_id: z
      .string()
      .describe('In the history its subject is session-<session_id>, which shows client address and user agent'),
    began_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    used_totp: z.boolean(),
    is_current: z.boolean().describe('Whether this request belongs to the session'),
  })
  .meta({ id: 'Session' });

const routes = {
  list: describeRoute({
    summary: 'List dashboard sessions, latest first',
    response: z.object({ sessions: z.array(SessionEntry) }),
  }),
  end: describeRoute({
    summary: 'Sign out a session',
    response: z.object({ status: z.literal('ended') }),
    errors: ['session_not_found'],
  }),
  endOthers: describeRoute({
    summary: 'Sign out all other sessions',
    response: z.object({ status: z.literal('ended'), count: z.int() }),
  }),
};

interface SessionsOptions extends Pick<Capabilities, 'views' | 'now'> {
  readonly signIns: SignInRecorder;
}

/** Sessions of the dashboard; `auth/dashboardAuth.ts` starts them. */
export const sessionRoutes = ({ views, now, signIns }: SessionsOptions) => {
  const validSessions = () => {
    const { sessions, dashboardAuth } = views.current;
    return [...sessions.values()].filter((session) => isSessionValid(session, dashboardAuth, now()));
  };
  const end = (ctx: ManagementContext, { id }: Session) =>
    signIns.record(SessionEnded({ sessionId: id }), ctx.state.cause);

  return newRouter('/api/sessions')
    .get('/', routes.list, (ctx) => ({
      sessions: validSessions()
        .map((session) => ({
          session_id: session.id,
          began_at: iso(instant(session.expiresAt - SESSION_SECONDS * 1_000)),
          expires_at: iso(session.expiresAt),
          used_totp: hasVerifiedTotp(session, views.current.dashboardAuth),
          is_current: session.id === ctx.state.client.session?.id,
        }))
        .sort((a, b) => (a.began_at < b.began_at ? 1 : -1)),
    }))
    .delete('/:id', routes.end, async (ctx) => {
      const sessionId = ctx.params.id ?? '';
      const session = validSessions().find(({ id }) => id === sessionId);
      await end(ctx, session ?? refuse('session_not_found', { sessionId }));
      return { status: 'ended' };
    })
    .delete('/', routes.endOthers, async (ctx) => {
      const others = validSessions().filter(({ id }) => id !== ctx.state.client.session?.id);
      await Promise.all(others.map((session) => end(ctx, session)));
      return { status: 'ended', count: others.length };
    })
    .routes();
};
