import { type AccountId, type Instant, iso } from '../core/brands.ts';
import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema } from '../core/schema.ts';
import { accountIdSchema, instantSchema } from '../core/schemas.ts';

/** An account that cools down. */
export interface CooledAccount {
  readonly accountId: AccountId;
  /** When the account failed first in this cool-down. */
  readonly since: Instant;
  readonly until: Instant;
  /** The outcome of the attempt, e.g. `throttled`. */
  readonly cause: string;
  /** Failures in a row; 0 for a limit that the provider reported. */
  readonly failures: number;
}

/** The accounts that failed for a request. */
export interface CooledByRequest {
  readonly requestId: string;
  readonly accounts: readonly CooledAccount[];
}

/** Accounts that follow each other and failed alike: their names and numbers would be most of the event. */
const cooledAlikeSchema = schema((z) =>
  z.object({
    cause: z.string(),
    failures: z.int().min(0),
    /** Account, `since` and `until`. */
    accounts: z.array(z.tuple([accountIdSchema(z), instantSchema(z), instantSchema(z)])),
  }),
);

type CooledAlike = Infer<typeof cooledAlikeSchema>;

interface CooledData {
  readonly requests: readonly { readonly requestId: string; readonly cooled: readonly CooledAlike[] }[];
}

function alike(accounts: readonly CooledAccount[]): CooledAlike[] {
  const groups: CooledAlike[] = [];
  for (const { accountId, since, until, cause, failures } of accounts) {
    const last = groups.at(-1);
    const account: CooledAlike['accounts'][number] = [accountId, since, until];
    if (last?.cause === cause && last.failures === failures) last.accounts.push(account);
    else groups.push({ cause, failures, accounts: [account] });
  }
  return groups;
}

/** Version 1 had an object with all fields for each account. What it did not have stays, so that a reader refuses it. */
const upcastCooled = (data: unknown): unknown => {
  const { requests, ...rest } = data as { requests: readonly CooledByRequest[] };
  const cooledBy = ({ accounts, ...request }: CooledByRequest) => ({
    ...request,
    cooled: alike(accounts),
    ...accounts.map(({ accountId, since, until, cause, failures, ...surplus }) => surplus).find(hasFields),
  });
  return { ...rest, requests: requests.map(cooledBy) };
};

const hasFields = (value: object): boolean => Object.keys(value).length > 0;

/**
 * Accounts that failed cool down. Written by the node that called them: one event for what failed within a moment, because a
 * provider that is down or throttles makes many accounts fail. `accountsCooled` makes it, `cooledIn` reads it.
 */
export const AccountsCooled = event('AccountsCooled', {
  version: 2,
  data: (z) =>
    z.object({
      /**
       * The process that writes the event counts the cool-downs that it begins, extends or ends; this is the number of the
       * first one here, the others follow. Attempts refer to these numbers.
       */
      number: z.int().min(1),
      /** In order. A request appears again when another one failed in between. */
      requests: z.array(z.object({ requestId: z.string().min(1), cooled: z.array(cooledAlikeSchema(z)) })),
    }),
  describe: (data) => describeAccounts(cooledIn(data).flatMap(({ accounts }) => accounts)),
  upcasters: [upcastCooled],
});

/** The event about accounts that failed for requests, in order. */
export const accountsCooled = ({ number, requests }: { number: number; requests: readonly CooledByRequest[] }) =>
  AccountsCooled({
    number,
    requests: requests.map(({ requestId, accounts }) => ({ requestId, cooled: alike(accounts) })),
  });

/** What `accountsCooled` was called with. */
export const cooledIn = ({ requests }: CooledData): CooledByRequest[] =>
  requests.map(({ requestId, cooled }) => ({
    requestId,
    accounts: cooled.flatMap(({ cause, failures, accounts }) =>
      accounts.map(([accountId, since, until]) => ({ accountId, since, until, cause, failures })),
    ),
  }));

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
