import { z } from 'zod';
import { instant, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { SessionEnded } from '../../domain/session/events.ts';
import { hasVerifiedTotp, isValid, type Session } from '../../domain/session/state.ts';
import type { Management } from '../app.ts';
import { SESSION_SECONDS } from '../auth/sessionCookie.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';

const SessionAnswer = z
  .object({
    session_id: z
      .string()
      .describe('The history knows it as session-<session_id>: from where it was begun, and by what'),
    began_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    used_totp: z.boolean(),
    is_current: z.boolean().describe('Whether it is the one that asks'),
  })
  .meta({ id: 'Session' });

const list = documented({
  summary: 'Who is signed in',
  answer: z.object({ sessions: z.array(SessionAnswer) }),
});
const end = documented({
  summary: 'Signs one session out',
  answer: z.object({ status: z.literal('ended') }),
  refuses: ['session_not_found'],
});
const endOthers = documented({
  summary: 'Signs every session out but the one that asks',
  answer: z.object({ status: z.literal('ended'), count: z.int() }),
});

/** Sessions of the dashboard. How they begin stands in `dashboardAuth/`. */
export const sessionRoutes = ({ hot, now, signIns }: Management) => {
  const valid = () =>
    [...hot.state.sessions.values()].filter((session) => isValid(session, hot.state.dashboardAuth, now()));
  const endOne = (ctx: ManagementContext, { id }: Session) =>
    signIns.record(SessionEnded({ sessionId: id }), ctx.state.cause);

  return newRouter('/api/sessions')
    .get('/', list, (ctx) => ({
      sessions: valid()
        .map((session) => ({
          session_id: session.id,
          began_at: iso(instant(session.expiresAt - SESSION_SECONDS * 1_000)),
          expires_at: iso(session.expiresAt),
          used_totp: hasVerifiedTotp(session, hot.state.dashboardAuth),
          is_current: session.id === ctx.state.client.session?.id,
        }))
        .sort((a, b) => (a.began_at < b.began_at ? 1 : -1)),
    }))
    .delete('/:id', end, async (ctx) => {
      const sessionId = ctx.params.id ?? '';
      const session = valid().find(({ id }) => id === sessionId);
      await endOne(ctx, session ?? refuse('session_not_found', { sessionId }));
      return { status: 'ended' };
    })
    .delete('/', endOthers, async (ctx) => {
      const others = valid().filter(({ id }) => id !== ctx.state.client.session?.id);
      await Promise.all(others.map((session) => endOne(ctx, session)));
      return { status: 'ended', count: others.length };
    })
    .routes();
};
