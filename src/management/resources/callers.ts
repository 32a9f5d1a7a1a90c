import { z } from 'zod';
import { CallersForgotten } from '../../domain/audit/events.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { isHeld } from '../../domain/hold/isHeld.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import { callersIn, monthOf, monthsOfCallers } from '../../vault/callerKeys.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { ADMINISTRATORS, READERS } from '../http/roles.ts';

const month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-10');
const Forget = wireObject({ until: month.describe('The last month of UTC to forget, `2026-10`, which must be over') });

const routes = {
  list: describeRoute({
    roles: READERS,
    at: { none: 'data keys that were destroyed leave nothing behind' },
    summary: 'List the months whose requests without an API key still have readable addresses and user agents',
    response: z.object({
      months: z.array(z.object({ month: z.string(), is_over: z.boolean() }).meta({ id: 'MonthOfCallers' })),
    }),
  }),
  forget: describeRoute({
    roles: ADMINISTRATORS,
    isIrreversible: true,
    summary: 'Make addresses and user agents of requests without an API key unreadable for good, up to a month',
    body: Forget,
    response: z.object({ months: z.array(z.string()).describe('Those that were forgotten by this') }),
    errors: ['validation_error', 'callers_held'],
  }),
};

/** Records that callers were forgotten. Durable when it resolves. */
export type RecordForgetting = (event: ReturnType<typeof CallersForgotten>, cause: Cause) => Promise<void>;

export interface CallerOptions extends Pick<Capabilities, 'views' | 'vault' | 'now'> {
  readonly recordForgetting: RecordForgetting;
  readonly node: { readonly name: string };
}

/** Who sent requests without an API key, which is sealed by the month (docs/decisions/0087-who-asked.md). */
export const callerRoutes = ({ views, vault, now, recordForgetting, node }: CallerOptions) =>
  newRouter('/api/callers')
    .get('/months', routes.list, () => {
      const current = monthOf(now());
      return { months: monthsOfCallers(vault).map((each) => ({ month: each, is_over: each < current })) };
    })
    .post('/forget', routes.forget, async (ctx) => {
      const { until } = await readBody(ctx, Forget, 'validation_error');
      // Its data key is in use: the next request would make another one.
      if (until >= monthOf(now()))
        refuse('validation_error', { param: 'until', problem: 'is a month that is not over' });
      const months = monthsOfCallers(vault).filter((each) => each <= until);
      const holds = [...views.current.holds.active.values()];
      if (months.some((each) => isHeld(holds, rangeOf(each)))) refuse('callers_held');
      if (months.length === 0) return { months };
      ctx.state.authorizeIrreversible();
      for (const each of months) await vault.destroy(callersIn(each));
      await recordForgetting(CallersForgotten({ node: node.name, months }), ctx.state.cause);
      return { months };
    })
    .routes();

/** The requests of a month, which may be about any subject. */
function rangeOf(each: string): { readonly from: Instant; readonly until: Instant } {
  const [year = 0, number = 1] = each.split('-').map(Number);
  return { from: instant(Date.UTC(year, number - 1)), until: instant(Date.UTC(year, number)) };
}
