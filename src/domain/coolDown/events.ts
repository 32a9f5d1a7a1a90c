import { iso } from '../core/brands.ts';
import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema } from '../core/schema.ts';
import { accountIdSchema, instantSchema } from '../core/schemas.ts';

const cooledAccountSchema = schema((z) =>
  z.object({
    accountId: accountIdSchema(z),
    /** When the account failed first in this cool-down. */
    since: instantSchema(z),
    until: instantSchema(z),
    /** The outcome of the attempt, e.g. `throttled`. */
    cause: z.string(),
    /** Failures in a row; 0 for a limit that the provider reported. */
    failures: z.int().min(0),
  }),
);

/**
 * Accounts that failed cool down. Written by the node that called them: one event for what failed within a moment, because a
 * provider that is down or throttles makes many accounts fail.
 */
export const AccountsCooled = event('AccountsCooled', {
  version: 1,
  data: (z) =>
    z.object({
      /**
       * The process that writes the event counts the cool-downs that it begins, extends or ends; this is the number of the
       * first one here, the others follow. Attempts refer to these numbers.
       */
      number: z.int().min(1),
      /** In order. A request appears again when another one failed in between. */
      requests: z.array(z.object({ requestId: z.string().min(1), accounts: z.array(cooledAccountSchema(z)) })),
    }),
  describe: ({ requests }) => describeAccounts(requests.flatMap(({ accounts }) => accounts)),
});

type CooledAccount = Infer<typeof cooledAccountSchema>;

function describeAccounts(accounts: readonly CooledAccount[]): string {
  const [only, another] = accounts;
  if (only && !another) return `account ${only.accountId} cools down until ${iso(only.until)} (${only.cause})`;
  const names = [...new Set(accounts.map(({ accountId }) => `account ${accountId}`))];
  const causes = [...new Set(accounts.map(({ cause }) => cause))];
  return `${names.join(', ')} cool down (${causes.join(', ')})`;
}

/** A request succeeded on an account that had cooled down: its next cool-down is short again. */
export const AccountRecovered = event('AccountRecovered', {
  version: 1,
  data: (z) =>
    z.object({
      /** Counted together with those of `AccountsCooled`. */
      number: z.int().min(1),
      accountId: accountIdSchema(z),
      requestId: z.string().min(1),
    }),
  describe: ({ accountId }) => `account ${accountId} served a request again after its cool-down`,
});

export type CoolDownEvent = EventOf<typeof AccountsCooled> | EventOf<typeof AccountRecovered>;
