import { z } from 'zod';
import { accountStatusSchema } from '../../domain/account/events.ts';
import { creditsOf, type PlanCredits } from '../../domain/account/planCredits.ts';
import type { Account } from '../../domain/account/state.ts';
import { type Health, healthOf, RECENT_MS } from '../../domain/accountHealth/healthOf.ts';
import { MAX_RECENT_ATTEMPTS } from '../../domain/accountHealth/state.ts';
import type { UsageWindow } from '../../domain/accountUsage/events.ts';
import { WINDOW_MINUTES } from '../../domain/accountUsage/windowMinutes.ts';
import { type AccountId, type Instant, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { holdsOn } from '../../domain/hold/isHeld.ts';
import { accountLifetime } from '../../domain/hold/state.ts';
import { type AvailabilityState, availabilityOf } from '../../domain/routing/availability.ts';
import { mapInSlices } from '../../lib/mapInSlices.ts';
import { expiryOf } from '../../provider/client/jwt.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { SealedFields } from '../../vault/sealedFields.ts';
import type { Vault } from '../../vault/vault.ts';
import { proxyAddressOf, proxyNameOf, requireProxyAddress, shownProxyOf } from '../accounts/accountProxy.ts';
import { openSealed, UNKNOWN_EMAIL } from '../accounts/openSealed.ts';
import { accountKeysMutex } from '../accounts/sealAccount.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { forgotten } from '../http/forgotten.ts';
import { OPERATORS, READERS } from '../http/roles.ts';
import type { View } from '../http/views.ts';
import { remainingPercent, roundPercent } from './usage/usageWindow.ts';

const time = z.iso.datetime().nullable();
const token = z.object({ expires_at: time, state: z.string() });
const availabilityState = z.enum([
  'available',
  'paused',
  'deactivated',
  'rate_limited',
  'quota_exceeded',
  'cooling',
] satisfies AvailabilityState[]);

const AccountHealth = z
  .object({
    state: z
      .enum(['unknown', 'healthy', 'failing'] satisfies Health['state'][])
      .describe('failing: the last attempt failed, and so did the last three or most of the recent ones'),
    failure_rate: z.number().min(0).max(100).nullable().describe('Percent of the recent attempts; null without any'),
    attempts: z.int().describe(`The last attempts, at most ${MAX_RECENT_ATTEMPTS}, of the last \`window_minutes\``),
    failures: z.int().describe('Attempts among them that failed because of the account or the provider'),
    window_minutes: z.int(),
    last_failure: z
      .object({
        at: z.iso.datetime(),
        class: z.string().describe('The outcome of the attempt, such as provider_error or unreachable'),
        code: z.string().nullable().describe('The error code of the provider'),
        provider_status: z.int().nullable().describe('The HTTP status of its response'),
        errno: z.string().nullable().describe('The error of the system, such as ECONNREFUSED'),
        request_id: z.string(),
      })
      .nullable(),
  })
  .meta({ id: 'AccountHealth' });

const AccountEntry = z
  .object({
    account_id: z.string(),
    email: z.string(),
    display_name: z.string(),
    plan_type: z.string(),
    status: accountStatusSchema(z),
    usage: z.object({ primary_remaining_percent: z.number(), secondary_remaining_percent: z.number() }),
    reset_at_primary: time,
    reset_at_secondary: time,
    window_minutes_primary: z.int(),
    window_minutes_secondary: z.int(),
    capacity_credits_primary: z.number(),
    remaining_credits_primary: z.number(),
    capacity_credits_secondary: z.number(),
    remaining_credits_secondary: z.number(),
    last_refresh_at: time,
    usage_observed_at: time.describe('When the provider last reported usage; null before the first report'),
    deactivation_reason: z.string().nullable(),
    proxy: z
      .string()
      .nullable()
      .describe("Host and port of the account's own proxy; null: its calls leave as the environment of svc says"),
    region: z
      .string()
      .optional()
      .describe('Where the provider processes its requests, as its tokens say; absent: anywhere'),
    availability: z.object({ state: availabilityState, reason: z.string().nullable(), until: time }),
    health: AccountHealth,
    auth: z.object({ access: token, refresh: token, id_token: token }),
    forgotten,
  })
  .meta({ id: 'Account' });

const ChangeAccount = wireObject({
  proxy: z
    .string()
    .nullable()
    .optional()
    .describe(
      'Address of a proxy for all calls of this account: http, https or socks5, with its user name and password if it needs them. Null removes it. Responses show host and port only',
    ),
});

const statusChange = <const Status extends string>(status: Status, summary: string) =>
  describeRoute({
    roles: OPERATORS,
    summary,
    response: z.object({ status: z.literal(status) }),
    errors: ['account_not_found'],
  });

const routes = {
  list: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'List all accounts',
    response: z.object({ accounts: z.array(AccountEntry) }),
  }),
  change: describeRoute({
    roles: OPERATORS,
    summary: "Change an account's proxy",
    body: ChangeAccount,
    response: AccountEntry,
    errors: ['account_not_found', 'validation_error'],
  }),
  pause: statusChange('paused', 'Pause an account: it serves no more requests'),
  reactivate: statusChange('reactivated', 'Reactivate a paused or deactivated account'),
  remove: describeRoute({
    roles: OPERATORS,
    isIrreversible: true,
    summary: 'Delete an account and destroy its data key, unless a legal hold keeps that',
    response: z.object({
      status: z.literal('deleted'),
      held_by: z
        .array(z.string())
        .describe(
          'Legal holds that keep its data key, which is destroyed when the last of them ends; empty: it is destroyed',
        ),
    }),
    errors: ['account_not_found'],
  }),
};

/** Listing, changing, pausing, reactivating and deleting accounts; `accountImport.ts` and `oauth/` add them. */
export const accountRoutes = ({
  views,
  commands,
  vault,
  now,
}: Pick<Capabilities, 'views' | 'commands' | 'vault' | 'now'>) =>
  newRouter('/api/accounts')
    .get('/', routes.list, async (ctx) => {
      const view = await views.asOf(ctx);
      const accounts = [...view.state.accounts.values()];
      return { accounts: await mapInSlices(accounts, (account) => accountEntry(account, view, vault)) };
    })
    .patch('/:id', routes.change, async (ctx) => {
      const accountId = readAccountId(ctx);
      const { proxy } = await readBody(ctx, ChangeAccount, 'validation_error');
      if (typeof proxy === 'string') requireProxyAddress(proxy);
      // The data key must not be destroyed between sealing and recording.
      await commands.mutex(accountKeysMutex(accountId), async () => {
        const account = views.current.accounts.get(accountId) ?? refuse('account_not_found', { accountId });
        if (proxy === undefined || proxy === proxyAddressOf(account, vault)) return;
        const keyId = vault.currentKeyOf(accountId) ?? (await vault.createKey(accountId));
        const command = {
          type: 'ChangeProxy',
          accountId,
          from: shownProxyOf(account, new SealedFields(vault)),
          to: proxy === null ? null : proxyNameOf(proxy),
          proxy: proxy === null ? null : vault.seal(keyId, proxy),
        } as const;
        await commands.handle(subjects.account, accountId, command, ctx.state.cause);
      });
      const view = await views.asOf(ctx);
      return accountEntry(
        view.state.accounts.get(accountId) ?? refuse('account_not_found', { accountId }),
        view,
        vault,
      );
    })
    .post('/:id/pause', routes.pause, async (ctx) => {
      const accountId = readAccountId(ctx);
      await commands.handle(subjects.account, accountId, { type: 'PauseAccount', accountId }, ctx.state.cause);
      return { status: 'paused' };
    })
    .post('/:id/reactivate', routes.reactivate, async (ctx) => {
      const accountId = readAccountId(ctx);
      await commands.handle(subjects.account, accountId, { type: 'ReactivateAccount', accountId }, ctx.state.cause);
      return { status: 'reactivated' };
    })
    .delete('/:id', routes.remove, async (ctx) => {
      const accountId = readAccountId(ctx);
      return commands.mutex(accountKeysMutex(accountId), async () => {
        const heldBy = holdsOnAccount(views.current, accountId, now());
        const command = { type: 'DeleteAccount', accountId, heldBy } as const;
        await commands.handle(subjects.account, accountId, command, ctx.state.cause);
        const { accounts, holds } = views.current;
        const lifetime = holds.retained.get(accountId);
        if (!accounts.has(accountId) && !lifetime) await vault.destroy(accountId);
        const held = lifetime ? holdsOn(holds.active.values(), accountLifetime(accountId, lifetime)) : [];
        return { status: 'deleted', held_by: held.map(({ id }) => id) };
      });
    })
    .routes();

/** The legal holds that keep the data key of an account that is deleted now. */
function holdsOnAccount({ accounts, holds }: View['state'], accountId: AccountId, now: Instant): string[] {
  const account = accounts.get(accountId);
  if (!account) return [];
  const lifetime = accountLifetime(accountId, { from: account.importedAt, until: now });
  return holdsOn(holds.active.values(), lifetime).map(({ id }) => id);
}

const readAccountId = (ctx: ManagementContext) => (ctx.params.id ?? '') as AccountId;

/** An account with its usage and availability (docs/decisions/0034-account-summary.md). */
export function accountEntry(account: Account, view: View, vault: Vault): z.infer<typeof AccountEntry> {
  const { state, now } = view;
  const usage = state.usage.get(account.id);
  const { primary, secondary } = usage?.sample ?? { primary: null, secondary: null };
  const fields = new SealedFields(vault);
  const email = fields.open('email', account.email) ?? UNKNOWN_EMAIL;
  const availability = availabilityOf(account, usage, state.coolDowns.get(account.id), now);
  return {
    account_id: account.id,
    email,
    display_name: fields.open('display_name', account.displayName ?? account.email) ?? email,
    plan_type: account.planType,
    status: account.status,
    usage: {
      primary_remaining_percent: remainingPercent(primary),
      secondary_remaining_percent: remainingPercent(secondary),
    },
    reset_at_primary: isoOrNull(primary?.resetAt),
    reset_at_secondary: isoOrNull(secondary?.resetAt),
    window_minutes_primary: primary?.windowMinutes ?? WINDOW_MINUTES.primary,
    window_minutes_secondary: secondary?.windowMinutes ?? WINDOW_MINUTES.secondary,
    ...remainingCredits(creditsOf(account.planType), primary, secondary),
    last_refresh_at: isoOrNull(state.tokens.get(account.id)?.tokens?.refreshedAt),
    usage_observed_at: isoOrNull(usage?.observedAt),
    deactivation_reason: account.deactivationReason,
    proxy: shownProxyOf(account, fields),
    ...(account.region !== undefined && { region: account.region }),
    availability: { state: availability.state, reason: availability.reason, until: isoOrNull(availability.until) },
    health: healthEntry(healthOf(state.health.get(account.id), now)),
    auth: tokenStates(account, view, vault),
    ...fields.forgotten(),
  };
}

const healthEntry = ({ state, attempts, failures, lastFailure }: Health): z.infer<typeof AccountHealth> => ({
  state,
  failure_rate: attempts === 0 ? null : roundPercent((failures * 100) / attempts),
  attempts,
  failures,
  window_minutes: RECENT_MS / 60_000,
  last_failure: lastFailure && {
    at: iso(lastFailure.at),
    class: lastFailure.class,
    code: lastFailure.code,
    provider_status: lastFailure.providerStatus,
    errno: lastFailure.errno,
    request_id: lastFailure.requestId,
  },
});

const remainingCredits = (credits: PlanCredits, primary: UsageWindow | null, secondary: UsageWindow | null) => ({
  capacity_credits_primary: credits.primary,
  remaining_credits_primary: (credits.primary * remainingPercent(primary)) / 100,
  capacity_credits_secondary: credits.secondary,
  remaining_credits_secondary: (credits.secondary * remainingPercent(secondary)) / 100,
});

function tokenStates(account: Account, { state, now }: View, vault: Vault) {
  const tokens = state.tokens.get(account.id)?.tokens;
  const isAccessValid = tokens && (tokens.accessExpiresAt === null || tokens.accessExpiresAt > now);
  return {
    access: { expires_at: isoOrNull(tokens?.accessExpiresAt), state: isAccessValid ? 'valid' : 'expired' },
    // The provider does not document how long refresh tokens are valid.
    refresh: { expires_at: null, state: tokens ? 'stored' : 'missing' },
    id_token: {
      expires_at: isoOrNull(expiryOf(openSealed(tokens?.idToken ?? null, vault) ?? '')),
      state: account.hasReadableIdToken ? 'parsed' : 'unknown',
    },
  };
}

const isoOrNull = (at: Instant | null | undefined) => (at === null || at === undefined ? null : iso(at));
