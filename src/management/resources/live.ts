import { z } from 'zod';
import { isSessionValid, isTotpPending } from '../../domain/dashboardAuth/sessionChecks.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import type { LiveFeed } from './live/liveFeed.ts';

const LiveEvent = z
  .union([
    z.object({
      position: z.int().describe('Every event up to this position is visible to other requests'),
      subjects: z
        .array(z.string())
        .describe(
          'What changed, e.g. account-<id> or firewall-main; a kind without an id, such as request, means any of that kind',
        ),
    }),
    z.object({
      reason: z
        .enum(['session', 'stopping', 'too_slow'])
        .describe('Why the stream ends; `session` means that the client must sign in again'),
    }),
  ])
  .meta({ id: 'LiveEvent' });

const routes = {
  listen: describeRoute({
    summary: 'Stream notifications of changes: `changed` with position and subjects, `ended` with the reason',
    response: 'stream',
    stream: LiveEvent,
    errors: ['too_many_live_streams'],
  }),
};

interface LiveOptions extends Pick<Capabilities, 'views' | 'now'> {
  readonly live: LiveFeed;
}

/** One stream per dashboard page; ends with the session (docs/decisions/0056-dashboard-is-an-api-client.md). */
export const liveRoutes = ({ views, now, live }: LiveOptions) =>
  newRouter('/api/live')
    .get('/', routes.listen, (ctx) => {
      const { session, address } = ctx.state.client;
      ctx.type = 'text/event-stream';
      // Disables response buffering in nginx and similar reverse proxies.
      ctx.set('x-accel-buffering', 'no');
      return live.open({
        owner: session?.id ?? address,
        isAllowed() {
          const { dashboardAuth, sessions } = views.current;
          // Without a password no session is needed.
          if (!session) return dashboardAuth.password === null;
          const known = sessions.get(session.id);
          return (
            known !== undefined && isSessionValid(known, dashboardAuth, now()) && !isTotpPending(known, dashboardAuth)
          );
        },
      });
    })
    .routes();
