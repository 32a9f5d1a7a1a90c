import { z } from 'zod';
import { iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { ownerHolder } from '../../domain/limits/limitLevel.ts';
import { readOwner } from '../../domain/owner/ownerName.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { forgotten } from '../http/forgotten.ts';
import { EVERYONE, OPERATORS } from '../http/roles.ts';
import type { View } from '../http/views.ts';
import type { Directory } from '../people/directory.ts';
import { owns, requireOwn } from '../people/principal.ts';
import { keysBy } from './limits/keysBy.ts';
import { Limit, limitEntries, type OpenByHolder, openByHolder } from './limits/limitEntries.ts';
import { LimitsInput, limitRulesInput } from './limits/limitInput.ts';

const ChangeOwner = wireObject({ limits: LimitsInput.nullish(), reset_usage: z.boolean().optional() }, [
  'owner',
  'name',
  'keys',
  'last_used_at',
  'forgotten',
]);

const OwnerLimits = z.object({
  owner: z.string().describe("An operator's id or a free text, as the keys have it"),
  keys: z.int().describe('Number of API keys that belong to it'),
  last_used_at: z.iso.datetime().nullable().describe('Since it has limits'),
  limits: z.array(Limit).describe('What all its keys together may use'),
});
const OwnerEntry = OwnerLimits.extend({
  name: z.string().nullable().describe('The name of the operator whose id the owner is'),
  forgotten,
}).meta({ id: 'Owner' });

const routes = {
  list: describeRoute({
    roles: EVERYONE,
    at: 'past',
    summary: 'List the owners that have API keys or limits; to members themselves',
    response: z.array(OwnerEntry),
  }),
  get: describeRoute({
    roles: EVERYONE,
    at: 'past',
    summary: 'Get the limits of an owner; members get their own',
    response: OwnerEntry,
    errors: ['owner_not_found', 'invalid_owner'],
  }),
  change: describeRoute({
    roles: OPERATORS,
    summary: 'Set the limits of an owner, which may come before its first API key; omitted fields stay unchanged',
    body: ChangeOwner,
    response: OwnerEntry,
    errors: ['invalid_owner'],
  }),
};

/** The limits of the owners of API keys (docs/decisions/0085-limits-of-owners-and-teams.md). */
export const ownerRoutes = ({ views, commands, directory }: Pick<Capabilities, 'views' | 'commands' | 'directory'>) => {
  const named = (entry: z.infer<typeof OwnerLimits>, view: View) => namedOwner(entry, view, directory);
  return newRouter('/api/owners')
    .get('/', routes.list, async (ctx) => {
      const view = await views.asOf(ctx);
      const [keys, open] = [keysOfOwners(view), openByHolder(view.state)];
      const limited = view.state.owners.values().filter(({ rules }) => rules.length > 0);
      const owners = new Set([...keys.keys(), ...limited.map(({ owner }) => owner)]);
      const { principal } = ctx.state;
      const shown = [...owners].filter((owner) => principal && owns(principal, owner));
      return shown.sort().map((owner) => named(ownerEntry(owner, view, keys, open), view));
    })
    .get('/:owner', routes.get, async (ctx) => {
      const owner = ownerIn(ctx);
      const view = await views.asOf(ctx);
      const keys = keysOfOwners(view);
      const { principal } = ctx.state;
      if (principal) requireOwn(principal, owner, 'owner_not_found', { owner });
      if (!keys.has(owner) && !view.state.owners.get(owner)?.rules.length) refuse('owner_not_found', { owner });
      return named(ownerEntry(owner, view, keys, openByHolder(view.state)), view);
    })
    .patch('/:owner', routes.change, async (ctx) => {
      const owner = ownerIn(ctx);
      const { limits, reset_usage: resetUsage } = await readBody(ctx, ChangeOwner, 'invalid_owner');
      const changes = { resetUsage, limits: limits === undefined ? undefined : limitRulesInput(limits ?? []) };
      const command = { type: 'ChangeOwner' as const, owner, ...changes };
      await commands.handle(subjects.owner, owner, command, ctx.state.cause);
      const view = views.currentView();
      return named(ownerEntry(owner, view, keysOfOwners(view), openByHolder(view.state)), view);
    })
    .routes();
};

/** @throws Refusal `invalid_owner` */
export function ownerIn({ params }: ManagementContext): string {
  const read = readOwner(params.owner ?? '');
  return 'owner' in read ? read.owner : refuse('invalid_owner', { param: 'owner', problem: read.problem });
}

/** An owner with the name that an operator of this id had then. */
export const namedOwner = (
  entry: z.infer<typeof OwnerLimits>,
  { state }: Pick<View, 'state'>,
  directory: Directory,
): z.infer<typeof OwnerEntry> => {
  const fields = directory.sealedFields();
  return { ...entry, name: directory.asOf(state).nameOf(entry.owner, fields), ...fields.forgotten() };
};

export const keysOfOwners = ({ state }: View) => keysBy(state, ({ owner }) => owner);

export function ownerEntry(
  owner: string,
  view: View,
  keys: ReadonlyMap<string, number>,
  open: OpenByHolder,
): z.infer<typeof OwnerLimits> {
  const holder = ownerHolder(owner);
  const lastUsedAt = view.state.counters.get(holder)?.lastUsedAt;
  return {
    owner,
    keys: keys.get(owner) ?? 0,
    last_used_at: lastUsedAt ? iso(lastUsedAt) : null,
    limits: limitEntries(holder, view.state.owners.get(owner)?.rules ?? [], view, open),
  };
}
