import { z } from 'zod';
import { iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { queryText } from '../http/query.ts';
import { ADMINISTRATORS, READERS } from '../http/roles.ts';
import type { View } from '../http/views.ts';

const Clock = z
  .object({
    time: z.iso.datetime().describe('The clock of this node'),
    limits_time: z.iso.datetime().describe('The time in whose windows limits count; never goes back by itself'),
    accepted_at: z.iso.datetime().nullable().describe('What the clock showed when an operator last accepted it'),
  })
  .meta({ id: 'Clock' });

const routes = {
  get: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'Get the clock of this node and the time in whose windows limits count',
    response: Clock,
  }),
  accept: describeRoute({
    roles: ADMINISTRATORS,
    summary: 'Let the windows of limits follow the clock of this node again, after it was wrong; also back',
    query: {
      force: z.enum(['true', 'false']).optional().describe('Also while the clocks of most other live nodes differ'),
    },
    response: Clock,
    errors: ['clock_differs'],
  }),
};

/** The node that responds. */
export interface NodeClock {
  readonly name: string;
  /** Whether the windows of limits do not follow its clock: other nodes differ, or it went back behind an open request. */
  readonly isClockHeld: () => boolean;
  /** How the clocks of other live nodes differ from its own, if most of them do. */
  readonly clockDisagreement: () => string | undefined;
}

interface ClockOptions extends Pick<Capabilities, 'views' | 'commands'> {
  readonly node: NodeClock;
}

/** The clock of the windows of limits. */
export const clockRoutes = ({ views, commands, node }: ClockOptions) =>
  newRouter('/api/clock')
    .get('/', routes.get, async (ctx) => clock(await views.asOf(ctx)))
    .post('/accept', routes.accept, async (ctx) => {
      const others = node.clockDisagreement();
      if (others !== undefined && queryText(ctx, 'force') !== 'true') throw refuse('clock_differs', { others });
      const command = { type: 'AcceptClock', node: node.name, isHeld: node.isClockHeld() } as const;
      await commands.handle(subjects.clock, 'main', command, ctx.state.cause);
      return clock(views.currentView());
    })
    .routes();

export const clock = ({ state, now, windowsNow }: View): z.infer<typeof Clock> => ({
  time: iso(now),
  limits_time: iso(windowsNow),
  accepted_at: state.windowsClock.accepted && iso(state.windowsClock.accepted.time),
});
