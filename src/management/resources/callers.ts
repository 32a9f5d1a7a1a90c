import { z } from 'zod';
import { CallersForgotten } from '../../domain/audit/events.ts';
import { type ApiKeyId, type Instant, instant, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { isHeld } from '../../domain/hold/isHeld.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import { callersIn, callersOfKey, monthOf, monthsOfCallers } from '../../vault/callerKeys.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { type DeletedKey, findDeletedKeys } from '../http/deletedKeys.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { ADMINISTRATORS, READERS } from '../http/roles.ts';

const NO_PAST = { none: 'data keys that were destroyed leave nothing behind' } as const;
const MAX_KEYS = 1_000;

const month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-10');
const Forget = wireObject({
  until: month.nullish().describe('The last month of UTC to forget, `2026-10`, which must be over'),
  api_keys: z
    .array(z.string())
    .min(1)
    .max(MAX_KEYS)
    .nullish()
    .describe('Ids of deleted API keys, instead of `until`. Existing keys are deleted with `forget_callers=true`'),
});

const routes = {
  list: describeRoute({
    roles: READERS,
    at: NO_PAST,
    summary: 'List the months whose requests without an API key still have readable addresses and user agents',
    response: z.object({
      months: z.array(z.object({ month: z.string(), is_over: z.boolean() }).meta({ id: 'MonthOfCallers' })),
    }),
  }),
  listDeleted: describeRoute({
    roles: READERS,
    at: NO_PAST,
    summary: 'List the deleted API keys whose requests still have readable addresses and user agents, newest first',
    response: z.object({
      api_keys: z.array(
        z
          .object({
            id: z.string(),
            deleted_at: z.iso.datetime(),
            sentence: z.string().describe('As in History; has the name of the key'),
          })
          .meta({ id: 'DeletedKeyOfCallers' }),
      ),
    }),
  }),
  forget: describeRoute({
    roles: ADMINISTRATORS,
    isIrreversible: true,
    summary:
      'Make addresses and user agents of requests unreadable for good: without an API key, or of deleted API keys',
    body: Forget,
    response: z.object({
      months: z.array(z.string()).describe('Those that were forgotten by this'),
      api_keys: z.array(z.string()).describe('Ids of those that were forgotten by this'),
    }),
    errors: ['validation_error', 'callers_held'],
  }),
};

/** Records that callers were forgotten. Durable when it resolves. */
export type RecordForgetting = (event: ReturnType<typeof CallersForgotten>, cause: Cause) => Promise<void>;

export interface CallerOptions extends Pick<Capabilities, 'views' | 'vault' | 'queries' | 'now'> {
  readonly recordForgetting: RecordForgetting;
  readonly node: { readonly name: string };
}

/** Who sent requests without an API key, which is sealed by the month, or with one that was deleted (docs/decisions/0087-who-asked.md). */
export const callerRoutes = (options: CallerOptions) => {
  const { views, vault, now, recordForgetting, node } = options;

  /** @throws Refusal `validation_error` | `callers_held` */
  function monthsUntil(until: string): string[] {
    // Its data key is in use: the next request would make another one.
    if (until >= monthOf(now())) refuse('validation_error', { param: 'until', problem: 'is a month that is not over' });
    const months = monthsOfCallers(vault).filter((each) => each <= until);
    const holds = [...views.current.holds.active.values()];
    if (months.some((each) => isHeld(holds, rangeOf(each)))) refuse('callers_held');
    return months;
  }

  /** @throws Refusal `validation_error` | `callers_held` */
  async function deletedAmong(ids: readonly string[]): Promise<DeletedKey[]> {
    const existing = ids.find((id) => views.current.apiKeys.has(id as ApiKeyId));
    if (existing !== undefined) {
      const problem = `has ${existing}, which is an API key that exists: delete it with forget_callers=true`;
      refuse('validation_error', { param: 'api_keys', problem });
    }
    const deleted = (await findDeletedKeys(options)).filter(({ id }) => ids.includes(id));
    const holds = [...views.current.holds.active.values()];
    if (deleted.some(({ requests }) => isHeld(holds, requests))) refuse('callers_held');
    return deleted;
  }

  return newRouter('/api/callers')
    .get('/months', routes.list, () => {
      const current = monthOf(now());
      return { months: monthsOfCallers(vault).map((each) => ({ month: each, is_over: each < current })) };
    })
    .get('/deleted-keys', routes.listDeleted, async () => ({
      api_keys: (await findDeletedKeys(options)).map(({ id, deletedAt, sentence }) => ({
        ...{ id, deleted_at: iso(deletedAt), sentence },
      })),
    }))
    .post('/forget', routes.forget, async (ctx) => {
      const { until, api_keys: ids } = await readBody(ctx, Forget, 'validation_error');
      if (Boolean(until) === Boolean(ids)) {
        refuse('validation_error', { param: 'until', problem: 'or api_keys is needed, and not both' });
      }
      const months = until ? monthsUntil(until) : [];
      const keys = ids ? (await deletedAmong(ids)).map(({ id }) => id) : [];
      const forgotten = { months, api_keys: keys };
      if (months.length + keys.length === 0) return forgotten;
      ctx.state.authorizeIrreversible();
      for (const each of months) await vault.destroy(callersIn(each));
      for (const id of keys) await vault.destroy(callersOfKey(id));
      const event = CallersForgotten({ node: node.name, months, ...(ids && { keys }) });
      await recordForgetting(event, ctx.state.cause);
      return forgotten;
    })
    .routes();
};

/** The requests of a month, which may be about any subject. */
function rangeOf(each: string): { readonly from: Instant; readonly until: Instant } {
  const [year = 0, number = 1] = each.split('-').map(Number);
  return { from: instant(Date.UTC(year, number - 1)), until: instant(Date.UTC(year, number)) };
}
