import { z } from 'zod';
import { isSessionValid, isTotpPending, mustSetUpTotp } from '../../domain/dashboardAuth/sessionChecks.ts';
import { isTokenValid } from '../../domain/managementToken/state.ts';
import { credentialsOf } from '../../domain/operator/credentials.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { EVERYONE } from '../http/roles.ts';
import { isLimitedToOwn, isOpen, principalOfToken, roleOf } from '../people/principal.ts';
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
    roles: EVERYONE,
    at: { none: 'it reports changes as they happen' },
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
export const liveRoutes = ({ views, now, live }: LiveOptions) => {
  /** Whether the session or the token that opened a stream is still valid. */
  function isStillAllowed(sessionId: string | undefined, tokenId: string | undefined): boolean {
    const { sessions, managementTokens, operators } = views.current;
    if (tokenId !== undefined) {
      const token = managementTokens.get(tokenId);
      return token !== undefined && isTokenValid(token, now()) && principalOfToken(token, operators) !== undefined;
    }
    // While management is open to this machine, no session is needed.
    if (sessionId === undefined) return isOpen(views.current);
    const known = sessions.get(sessionId);
    const auth = known && credentialsOf(known.operatorId, views.current);
    return (
      known !== undefined &&
      isSessionValid(known, auth, now()) &&
      !isTotpPending(known, auth) &&
      !mustSetUpTotp(known, auth)
    );
  }

  return newRouter('/api/live')
    .get('/', routes.listen, (ctx) => {
      const { client, principal } = ctx.state;
      const { session, address } = client;
      ctx.type = 'text/event-stream';
      // Disables response buffering in nginx and similar reverse proxies.
      ctx.set('x-accel-buffering', 'no');
      return live.open({
        owner: session?.id ?? principal?.tokenId ?? address,
        isAllowed: () => isStillAllowed(session?.id, principal?.tokenId),
        // What members do not own does not exist for them.
        mayKnowIds: () =>
          principal !== undefined &&
          !isLimitedToOwn(principal) &&
          roleOf(principal.operatorId, views.current.operators) !== 'member',
      });
    })
    .routes();
};
