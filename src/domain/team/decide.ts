import type { TeamId } from '../core/brands.ts';
import type { Context, Decider } from '../core/decider.ts';
import { refuse } from '../core/refusal.ts';
import { type LimitRuleInput, rulesChange } from '../limits/changeRules.ts';
import { TeamCreated, TeamDeleted, type TeamEvent, TeamLimitsChanged, TeamRenamed, TeamUsageReset } from './events.ts';
import { evolve, initialState, type TeamState } from './state.ts';

export const MAX_TEAM_NAME_LENGTH = 128;

/** Omitted fields stay unchanged. */
export interface TeamChanges {
  readonly name?: string | undefined;
  readonly limits?: readonly LimitRuleInput[] | undefined;
  readonly resetUsage?: boolean | undefined;
}

export type TeamCommand =
  | { type: 'CreateTeam'; teamId: TeamId; name: string; limits?: readonly LimitRuleInput[] | undefined }
  | { type: 'ChangeTeam'; teamId: TeamId; changes: TeamChanges }
  /** `keys`: how many API keys are in it. */
  | { type: 'DeleteTeam'; teamId: TeamId; keys: number };

/** @throws Refusal `team_not_found` | `team_not_empty` | `invalid_team` (with `param`) | `conflict` */
export function decide(command: TeamCommand, team: TeamState, { windowsNow }: Context): TeamEvent[] {
  const { teamId } = command;
  if (command.type === 'CreateTeam') {
    if (team) refuse('conflict', { teamId });
    const none = { rules: [], nextRuleId: 1 };
    const rules = rulesChange(none, command.limits ?? [], windowsNow, refuseRules)?.to ?? [];
    return [TeamCreated({ teamId, name: validName(command.name), rules })];
  }
  if (!team) return refuse('team_not_found', { teamId });
  if (command.type === 'DeleteTeam') {
    if (command.keys > 0) refuse('team_not_empty', { name: team.name, keys: command.keys });
    return [TeamDeleted({ teamId, name: team.name })];
  }
  const { limits, resetUsage } = command.changes;
  const name = command.changes.name === undefined ? team.name : validName(command.changes.name);
  const events: TeamEvent[] = [];
  if (name !== team.name) events.push(TeamRenamed({ teamId, from: team.name, to: name }));
  const change = limits && rulesChange(team, limits, windowsNow, refuseRules);
  if (change) events.push(TeamLimitsChanged({ teamId, name, ...change }));
  if (resetUsage) events.push(TeamUsageReset({ teamId, name }));
  return events;
}

function validName(text: string): string {
  const name = text.trim();
  const { length } = [...name];
  if (length >= 1 && length <= MAX_TEAM_NAME_LENGTH) return name;
  return refuse('invalid_team', { param: 'name', problem: `must have 1 to ${MAX_TEAM_NAME_LENGTH} characters` });
}

const refuseRules = (details: object): never => refuse('invalid_team', { ...details });

/** Teams of API keys. */
export const team: Decider<TeamState, TeamCommand, TeamEvent> = { decide, evolve, initialState };
