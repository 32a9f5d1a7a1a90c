import type { Instant, TeamId } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import { type Limited, withRules } from '../limits/changeRules.ts';
import type { TeamEvent } from './events.ts';

/** A team of API keys with limits that all of them share. */
export interface Team extends Limited {
  readonly id: TeamId;
  readonly name: string;
  readonly createdAt: Instant;
}

/** `undefined`: never created, or deleted. */
export type TeamState = Team | undefined;

export const initialState: TeamState = undefined;

export function evolve(team: TeamState, event: Recorded<TeamEvent>): TeamState {
  if (event.type === 'TeamCreated') {
    const { teamId: id, name, rules } = event.data;
    return { id, name, createdAt: event.time, ...withRules({ nextRuleId: 1 }, rules) };
  }
  if (!team) return undefined;
  const { type, data } = event;
  switch (type) {
    case 'TeamRenamed':
      return { ...team, name: data.to };
    case 'TeamLimitsChanged':
      return { ...team, ...withRules(team, data.to) };
    case 'TeamUsageReset':
      return team;
    case 'TeamDeleted':
      return undefined;
  }
}
