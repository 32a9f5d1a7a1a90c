import { z } from 'zod';
import { type Instant, instant, iso } from '../../domain/core/brands.ts';
import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { isHeld } from '../../domain/hold/isHeld.ts';
import { isBuiltInAvailable } from '../../domain/operator/access.ts';
import { roleSchema } from '../../domain/operator/role.ts';
import { type Operator, statusOf } from '../../domain/operator/state.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { describePasskeys } from '../auth/passkeys/describePasskeys.ts';
import { destroyKeysOfDisabledTotp, destroyKeysOfForgotten } from '../auth/totpKeys.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { forgotten } from '../http/forgotten.ts';
import { ADMINISTRATORS, EXAMINERS } from '../http/roles.ts';
import { type Directory, dataKeyOf, type Profile } from '../people/directory.ts';
import { personEmail, personName } from '../people/profileSchema.ts';
import { hashOf, newInvitation } from '../people/secrets.ts';

const INVITATION_MS = 7 * 86_400_000;

const Invite = wireObject({ name: personName, email: personEmail, role: roleSchema(z) });
const Change = wireObject({
  name: personName.nullish(),
  email: personEmail.nullish(),
  role: roleSchema(z).nullish(),
  is_active: z.boolean().nullish().describe('false: sessions end and tokens are refused, until true'),
});

const OperatorEntry = z.object({
  id: z.string(),
  name: z.string().nullable().describe('null once the person was forgotten'),
  email: z.string().nullable().describe('null once the person was forgotten'),
  role: roleSchema(z),
  status: z.enum(['invited', 'active', 'disabled', 'removed']),
  is_totp_configured: z.boolean(),
  recovery_codes_left: z.int(),
  passkeys: z.array(
    z.object({
      id: z.string(),
      name: z.string().nullable().describe('null once the person was forgotten'),
      added_at: z.iso.datetime(),
      last_used_at: z.iso.datetime().nullable(),
      counter_regressed_at: z.iso
        .datetime()
        .nullable()
        .describe('When a use was last refused because the counter went back: a copy of the passkey may exist'),
    }),
  ),
  invited_at: z.iso.datetime(),
  accepted_at: z.iso.datetime().nullable(),
  removed_at: z.iso.datetime().nullable(),
  invitation_expires_at: z.iso.datetime().nullable().describe('null without a link that can be used'),
  forgotten,
});
const Entry = OperatorEntry.meta({ id: 'Operator' });
const Invited = OperatorEntry.extend({
  invitation_url: z
    .string()
    .optional()
    .describe('Returned only once; absent when the request repeats an Idempotency-Key'),
}).meta({ id: 'InvitedOperator' });

const NOT_FOUND = ['operator_not_found'] as const;
const LAST = ['operator_not_found', 'last_administrator'] as const;

const routes = {
  list: describeRoute({
    roles: EXAMINERS,
    at: 'past',
    summary: 'List operators; the built-in administrator is not among them',
    response: z.object({ operators: z.array(Entry) }),
  }),
  get: describeRoute({
    roles: EXAMINERS,
    at: 'past',
    summary: 'Get an operator',
    response: Entry,
    errors: NOT_FOUND,
  }),
  invite: describeRoute({
    roles: ADMINISTRATORS,
    summary: 'Invite an operator; the response contains the link, which works once within 7 days',
    body: Invite,
    response: Invited,
    errors: ['invalid_operator', 'operator_exists'],
  }),
  renew: describeRoute({
    roles: ADMINISTRATORS,
    summary: 'Make a new link for an operator; one who has accepted sets a new password with it',
    response: Invited,
    errors: NOT_FOUND,
  }),
  change: describeRoute({
    roles: ADMINISTRATORS,
    summary: 'Change an operator; omitted fields stay unchanged, and the next request of the operator obeys',
    body: Change,
    response: Entry,
    errors: ['invalid_operator', 'operator_exists', ...LAST],
  }),
  disableTotp: describeRoute({
    roles: ADMINISTRATORS,
    isIrreversible: true,
    summary: 'Disable TOTP and recovery codes of an operator who has lost them',
    response: Entry,
    errors: ['operator_not_found', 'totp_not_configured'],
  }),
  removePasskey: describeRoute({
    roles: ADMINISTRATORS,
    isIrreversible: true,
    summary: 'Remove a passkey of an operator who has lost it, and end the sessions that began with it',
    response: Entry,
    errors: ['operator_not_found', 'passkey_not_found', 'last_sign_in_method'],
  }),
  remove: describeRoute({
    roles: ADMINISTRATORS,
    isIrreversible: true,
    summary: 'Remove an operator with all sessions and tokens',
    response: z.object({ status: z.literal('removed') }),
    errors: LAST,
  }),
  forget: describeRoute({
    roles: ADMINISTRATORS,
    isIrreversible: true,
    summary: 'Remove an operator and destroy name and addresses everywhere; events stay and verify',
    response: z.object({ status: z.literal('forgotten') }),
    errors: ['operator_held', ...LAST],
  }),
};

interface OperatorOptions extends Capabilities {
  readonly publicUrl: string;
}

/** The people that manage the service (docs/decisions/0083-operators-and-roles.md). `auth/operatorAuth.ts` signs them in. */
export const operatorRoutes = ({ views, commands, vault, directory, ids, now, publicUrl }: OperatorOptions) => {
  const handle = (ctx: ManagementContext, command: Parameters<typeof subjects.operator.decider.decide>[0]) =>
    commands.handle(subjects.operator, 'main', command, ctx.state.cause);
  const rolesOf = (ctx: ManagementContext) => ctx.state.principal?.roles ?? [];
  const isBuiltIn = () => isBuiltInAvailable(views.current.operators, views.current.dashboardAuth);
  const operatorOf = (operatorId: string, { byId } = views.current.operators): Operator =>
    byId.get(operatorId) ?? refuse('operator_not_found', { operatorId });

  const newLink = (operatorId: string) => {
    const secret = newInvitation(operatorId);
    return {
      // Behind #, so that neither logs of servers nor a Referer have it.
      url: `${publicUrl}/invitation#${secret}`,
      link: { invitationHash: hashOf(secret), expiresAt: instant(now() + INVITATION_MS) },
    };
  };

  /** Seals a name and an address that no other operator has, under the data key of the operator. */
  async function sealProfile(profile: Profile, operatorId: string, exceptId?: string) {
    const { taken, compared } = directory.compare(profile, exceptId);
    if (taken) refuse('operator_exists', { field: taken === 'name' ? 'name' : 'e-mail address' });
    const subject = dataKeyOf(operatorId);
    const keyId = vault.currentKeyOf(subject) ?? (await vault.createKey(subject));
    return { name: vault.seal(keyId, profile.name), email: vault.seal(keyId, profile.email), compared };
  }

  const entry = (operator: Operator, state: HotState = views.current) => operatorEntry(operator, state, directory);

  return newRouter('/api/operators')
    .get('/', routes.list, async (ctx) => {
      const { state } = await views.asOf(ctx);
      return { operators: [...state.operators.byId.values()].map((operator) => entry(operator, state)) };
    })
    .get('/:id', routes.get, async (ctx) => {
      const { state } = await views.asOf(ctx);
      return entry(operatorOf(ctx.params.id ?? '', state.operators), state);
    })
    .post('/', routes.invite, async (ctx) => {
      const { role, ...profile } = await readBody(ctx, Invite, 'invalid_operator');
      const { cause } = ctx.state;
      const operatorId = cause.write?.resourceId ?? ids.newId();
      const { url, link } = newLink(operatorId);
      const isRepeat = await commands.isRepeat(subjects.operator.streamOf('main'), cause);
      // A repeated write finds its own name.
      const sealed = await sealProfile(profile, operatorId, isRepeat ? operatorId : undefined);
      const invite = { type: 'Invite', operatorId, role, by: rolesOf(ctx), ...sealed, ...link } as const;
      const result = await handle(ctx, invite);
      const invited = entry(result.state.byId.get(operatorId) ?? refuse('operator_not_found', { operatorId }));
      return result.isRepeat ? invited : { ...invited, invitation_url: url };
    })
    .post('/:id/invitation', routes.renew, async (ctx) => {
      const operatorId = ctx.params.id ?? '';
      const { url, link } = newLink(operatorId);
      const renew = { type: 'RenewInvitation', operatorId, by: rolesOf(ctx), ...link } as const;
      const { isRepeat } = await handle(ctx, renew);
      const renewed = entry(operatorOf(operatorId));
      return isRepeat ? renewed : { ...renewed, invitation_url: url };
    })
    .patch('/:id', routes.change, async (ctx) => {
      const operatorId = ctx.params.id ?? '';
      const body = await readBody(ctx, Change, 'invalid_operator');
      const before = operatorOf(operatorId);
      if (before.removedAt !== null) refuse('operator_not_found', { operatorId });
      const profile = {
        name: body.name ?? directory.nameOf(operatorId) ?? '',
        email: body.email ?? directory.emailOf(operatorId) ?? '',
      };
      const hasProfile =
        profile.name !== directory.nameOf(operatorId) || profile.email !== directory.emailOf(operatorId);
      await handle(ctx, {
        ...{ type: 'Change', operatorId, by: rolesOf(ctx), isBuiltInAvailable: isBuiltIn() },
        role: body.role ?? undefined,
        isActive: body.is_active ?? undefined,
        profile: hasProfile ? await sealProfile(profile, operatorId, operatorId) : undefined,
      });
      return entry(operatorOf(operatorId));
    })
    .delete('/:id/totp', routes.disableTotp, async (ctx) => {
      const operatorId = ctx.params.id ?? '';
      const { events } = await handle(ctx, { type: 'DisableTotp', operatorId });
      await destroyKeysOfDisabledTotp(vault, events);
      return entry(operatorOf(operatorId));
    })
    .delete('/:id/passkeys/:passkeyId', routes.removePasskey, async (ctx) => {
      const operatorId = ctx.params.id ?? '';
      const isOwn = ctx.state.principal?.operatorId === operatorId;
      await handle(ctx, { type: 'RemovePasskey', operatorId, passkeyId: ctx.params.passkeyId ?? '', isOwn });
      return entry(operatorOf(operatorId));
    })
    .delete('/:id', routes.remove, async (ctx) => {
      const operatorId = ctx.params.id ?? '';
      const remove = { type: 'Remove', operatorId, by: rolesOf(ctx), isBuiltInAvailable: isBuiltIn() } as const;
      const { events } = await handle(ctx, remove);
      await destroyKeysOfDisabledTotp(vault, events);
      return { status: 'removed' };
    })
    .post('/:id/forget', routes.forget, async (ctx) => {
      const operatorId = ctx.params.id ?? '';
      if (operatorId === BUILT_IN_ADMINISTRATOR) refuse('operator_not_found', { operatorId });
      const { invitedAt } = operatorOf(operatorId);
      // Holds are on events, and those of a person may be about any subject.
      if (isHeld(views.current.holds.active.values(), { from: invitedAt })) refuse('operator_held');
      const forget = { type: 'Forget', operatorId, by: rolesOf(ctx), isBuiltInAvailable: isBuiltIn() } as const;
      const { events } = await handle(ctx, forget);
      await destroyKeysOfDisabledTotp(vault, events);
      await destroyKeysOfForgotten(vault, events);
      return { status: 'forgotten' };
    })
    .routes();
};

const isoOrNull = (at: Instant | null) => at && iso(at);

/** An operator of a state as the API shows it. Names are of that state, so that `?at=` gives those of then. */
export function operatorEntry(
  operator: Operator,
  state: Pick<HotState, 'operators' | 'passkeyUses'>,
  directory: Pick<Directory, 'open' | 'sealedFields'>,
): z.infer<typeof Entry> {
  const fields = directory.sealedFields();
  const { id, role, totp, recoveryCodes, invitation, invitedAt, acceptedAt, removedAt } = operator;
  return {
    id,
    name: fields.open('name', operator.name),
    email: fields.open('email', operator.email),
    role,
    status: statusOf(operator),
    is_totp_configured: totp !== null,
    recovery_codes_left: recoveryCodes.unused,
    passkeys: describePasskeys(id, state, directory).map(({ addedAt, lastUsedAt, regressedAt, ...passkey }) => ({
      ...passkey,
      added_at: iso(addedAt),
      last_used_at: isoOrNull(lastUsedAt),
      counter_regressed_at: isoOrNull(regressedAt),
    })),
    invited_at: iso(invitedAt),
    accepted_at: isoOrNull(acceptedAt),
    removed_at: isoOrNull(removedAt),
    invitation_expires_at: isoOrNull(invitation?.expiresAt ?? null),
    ...fields.forgotten(),
  };
}
