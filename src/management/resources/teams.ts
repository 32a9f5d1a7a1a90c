import { z } from 'zod';
import { iso, type TeamId } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { teamHolder } from '../../domain/limits/limitLevel.ts';
import type { Team } from '../../domain/team/state.ts';
import { mapInSlices } from '../../lib/mapInSlices.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { EVERYONE, OPERATORS, READERS } from '../http/roles.ts';
import type { View } from '../http/views.ts';
import type { Directory } from '../people/directory.ts';
import { isLimitedToOwn, type Principal } from '../people/principal.ts';
import { keysBy } from './limits/keysBy.ts';
import { Limit, limitEntries, type OpenByHolder, openByHolder } from './limits/limitEntries.ts';
import { LimitsInput, limitRulesInput, text } from './limits/limitInput.ts';

const READ_ONLY = ['id', 'created_at', 'last_used_at', 'keys'];
const CreateTeam = wireObject({ name: text, limits: LimitsInput.nullish() }, READ_ONLY);
const ChangeTeam = wireObject(
  { name: text.optional(), limits: LimitsInput.nullish(), reset_usage: z.boolean().optional() },
  READ_ONLY,
);

const TeamEntry = z
  .object({
    id: z.uuid(),
    name: z.string(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
    keys: z.int().describe('Number of API keys in it'),
    limits: z.array(Limit).describe('What all its keys together may use'),
  })
  .meta({ id: 'Team' });

const TeamMember = z
  .object({
    owner: z.string().nullable().describe("An operator's id or a free text; null: the keys without an owner"),
    name: z.string().nullable().describe('The name of the operator whose id the owner is'),
    keys: z.array(z.object({ id: z.uuid(), name: z.string(), is_active: z.boolean() })),
  })
  .meta({ id: 'TeamMember' });

const routes = {
  list: describeRoute({
    roles: EVERYONE,
    at: 'past',
    summary: 'List all teams; to members those of their keys',
    response: z.array(TeamEntry),
  }),
  get: describeRoute({
    roles: EVERYONE,
    at: 'past',
    summary: 'Get a team; members get those of their keys',
    response: TeamEntry,
    errors: ['team_not_found'],
  }),
  members: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'List the owners of the API keys in a team, with these keys',
    response: z.object({ members: z.array(TeamMember) }),
    errors: ['team_not_found'],
  }),
  create: describeRoute({
    roles: OPERATORS,
    summary: 'Create a team; API keys join it by their field `team`',
    body: CreateTeam,
    response: TeamEntry,
    errors: ['invalid_team'],
  }),
  change: describeRoute({
    roles: OPERATORS,
    summary: 'Change a team; omitted fields stay unchanged',
    body: ChangeTeam,
    response: TeamEntry,
    errors: ['invalid_team', 'team_not_found'],
  }),
  remove: describeRoute({
    roles: OPERATORS,
    summary: 'Delete a team that has no API keys',
    response: 'noContent',
    errors: ['team_not_found', 'team_not_empty'],
  }),
};

/** Teams of API keys, with limits that their keys share. */
export const teamRoutes = ({
  views,
  commands,
  ids,
  directory,
}: Pick<Capabilities, 'views' | 'commands' | 'ids' | 'directory'>) => {
  const current = (team: Team | undefined, teamId: TeamId) => {
    const view = views.currentView();
    return teamEntry(team ?? refuse('team_not_found', { teamId }), view, keysInTeams(view), openByHolder(view.state));
  };

  return newRouter('/api/teams')
    .get('/', routes.list, async (ctx) => {
      const view = await views.asOf(ctx);
      const [keys, open] = [keysInTeams(view), openByHolder(view.state)];
      const shown = teamsOf(ctx.state.principal, view);
      const teams = [...view.state.teams.values()].filter(({ id }) => shown === 'all' || shown.has(id));
      return mapInSlices(teams, (team) => teamEntry(team, view, keys, open));
    })
    .get('/:id', routes.get, async (ctx) => {
      const view = await views.asOf(ctx);
      const teamId = readTeamId(ctx);
      const team = view.state.teams.get(teamId);
      const shown = teamsOf(ctx.state.principal, view);
      if (!team || (shown !== 'all' && !shown.has(teamId))) return refuse('team_not_found', { teamId });
      return teamEntry(team, view, keysInTeams(view), openByHolder(view.state));
    })
    .get('/:id/members', routes.members, async (ctx) => {
      const { state } = await views.asOf(ctx);
      const teamId = readTeamId(ctx);
      if (!state.teams.has(teamId)) refuse('team_not_found', { teamId });
      return { members: membersOf(teamId, state, directory.asOf(state)) };
    })
    .post('/', routes.create, async (ctx) => {
      const { name, limits } = await readBody(ctx, CreateTeam, 'invalid_team');
      const teamId = (ctx.state.cause.write?.resourceId ?? ids.newId()) as TeamId;
      const command = { type: 'CreateTeam' as const, teamId, name, limits: limitRulesInput(limits ?? []) };
      const { state } = await commands.handle(subjects.team, teamId, command, ctx.state.cause);
      return current(state, teamId);
    })
    .patch('/:id', routes.change, async (ctx) => {
      const teamId = readTeamId(ctx);
      if (!views.current.teams.has(teamId)) refuse('team_not_found', { teamId });
      const { name, limits, reset_usage: resetUsage } = await readBody(ctx, ChangeTeam, 'invalid_team');
      const changes = { name, resetUsage, limits: limits === undefined ? undefined : limitRulesInput(limits ?? []) };
      const command = { type: 'ChangeTeam' as const, teamId, changes };
      const { state } = await commands.handle(subjects.team, teamId, command, ctx.state.cause);
      return current(state, teamId);
    })
    .delete('/:id', routes.remove, async (ctx) => {
      const teamId = readTeamId(ctx);
      const keys = keysInTeams(views.currentView()).get(teamId) ?? 0;
      await commands.handle(subjects.team, teamId, { type: 'DeleteTeam', teamId, keys }, ctx.state.cause);
      ctx.status = 204;
    })
    .routes();
};

const readTeamId = (ctx: ManagementContext) => (ctx.params.id ?? '') as TeamId;

/** The teams that a principal may see: a member those whose limits apply to their keys. */
function teamsOf(principal: Principal | undefined, { state }: View): 'all' | ReadonlySet<string> {
  if (principal && !isLimitedToOwn(principal)) return 'all';
  const own = state.apiKeys.values().filter(({ owner }) => owner !== undefined && owner === principal?.operatorId);
  return new Set(own.flatMap(({ team }) => (team === undefined ? [] : [team])));
}

/** Whose keys are in a team: people by name first, then other owners, at last the keys without one. */
function membersOf(
  teamId: TeamId,
  { apiKeys }: Pick<HotState, 'apiKeys'>,
  { nameOf }: Pick<Directory, 'nameOf'>,
): z.infer<typeof TeamMember>[] {
  const byOwner = Map.groupBy(
    [...apiKeys.values()].filter(({ team }) => team === teamId),
    ({ owner }) => owner ?? null,
  );
  const members = Array.from(byOwner, ([owner, keys]) => ({
    owner,
    name: owner === null ? null : nameOf(owner),
    keys: keys.map(({ id, name, isActive }) => ({ id, name, is_active: isActive })),
  }));
  const rank = ({ owner, name }: (typeof members)[number]) => (name !== null ? 0 : owner !== null ? 1 : 2);
  return members.sort(
    (a, b) => rank(a) - rank(b) || (a.name ?? a.owner ?? '').localeCompare(b.name ?? b.owner ?? '', 'en'),
  );
}

export const keysInTeams = ({ state }: View) => keysBy(state, ({ team }) => team);

export const teamEntry = (
  { id, name, createdAt, rules }: Team,
  view: View,
  keys: ReadonlyMap<string, number>,
  open: OpenByHolder,
): z.infer<typeof TeamEntry> => {
  const lastUsedAt = view.state.counters.get(teamHolder(id))?.lastUsedAt;
  return {
    id,
    name,
    created_at: iso(createdAt),
    last_used_at: lastUsedAt ? iso(lastUsedAt) : null,
    keys: keys.get(id) ?? 0,
    limits: limitEntries(teamHolder(id), rules, view, open),
  };
};
