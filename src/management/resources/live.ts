import { z } from 'zod';
import { isTotpPending, isValid } from '../../domain/session/state.ts';
import type { Management } from '../app.ts';
import { newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';
import type { LiveFeed } from './live/liveFeed.ts';

const LiveEvent = z
  .union([
    z.object({
      position: z.int().describe('Everything up to here can be asked for'),
      subjects: z
        .array(z.string())
        .describe(
          'What changed, e.g. account-<id>, firewall-main; kinds alone, such as request, stand for any of them',
        ),
    }),
    z.object({
      reason: z.enum(['session', 'stopping', 'too_slow']).describe('Why the stream ends; `session`: sign in again'),
    }),
  ])
  .meta({ id: 'LiveEvent' });

const listen = documented({
  summary: 'Says what has changed as it happens: `changed` with position and subjects, `ended` with the reason',
  answer: 'stream',
  stream: LiveEvent,
  refuses: ['too_many_live_streams'],
});

/** One stream a page. It ends with the session (design.md section 5, Dashboard). */
export const liveRoutes = ({ hot, now }: Management, live: LiveFeed) =>
  newRouter('/api/live')
    .get('/', listen, (ctx) => {
      const { session, address } = ctx.state.client;
      ctx.type = 'text/event-stream';
      // Proxies such as nginx would hold events back otherwise.
      ctx.set('x-accel-buffering', 'no');
      return live.open({
        owner: session?.id ?? address,
        isAllowed() {
          const { dashboardAuth, sessions } = hot.state;
          // Nobody needs a session until there is a password.
          if (!session) return dashboardAuth.password === null;
          const known = sessions.get(session.id);
          return known !== undefined && isValid(known, dashboardAuth, now()) && !isTotpPending(known, dashboardAuth);
        },
      });
    })
    .routes();
