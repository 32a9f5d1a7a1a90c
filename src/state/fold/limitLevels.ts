import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { ApiKeyId, TeamId } from '../../domain/core/brands.ts';
import {
  type LimitedLevel,
  type LimitedRequest,
  type LimitHolder,
  ownerHolder,
  teamHolder,
} from '../../domain/limits/limitLevel.ts';
import type { LimitRule } from '../../domain/limits/limitRule.ts';
import type { OwnerLimits } from '../../domain/owner/state.ts';
import type { Team } from '../../domain/team/state.ts';
import type { HotState } from './hotState.ts';

/** The parts of the hot state that have limits. */
type LimitedState = Pick<HotState, 'apiKeys' | 'owners' | 'teams'>;

const NO_RULES: readonly LimitRule[] = [];

export const levelOfKey = ({ id, rules }: ApiKey): LimitedLevel => ({ level: 'key', subject: id, holder: id, rules });
export const levelOfOwner = ({ owner, rules }: OwnerLimits): LimitedLevel => ({
  level: 'owner',
  subject: owner,
  holder: ownerHolder(owner),
  rules,
});
export const levelOfTeam = ({ id, rules }: Team): LimitedLevel => ({
  level: 'team',
  subject: id,
  holder: teamHolder(id),
  rules,
});

/** Every key, owner and team that has limits or could have some. */
export function* allLevels({ apiKeys, owners, teams }: LimitedState): Generator<LimitedLevel> {
  for (const key of apiKeys.values()) yield levelOfKey(key);
  for (const owner of owners.values()) yield levelOfOwner(owner);
  for (const team of teams.values()) yield levelOfTeam(team);
}

/** The levels of a request that have limits now, in the order of `limitLevels`. */
export function levelsOf(state: LimitedState, { keyId, owner, team }: LimitedRequest): LimitedLevel[] {
  const levels: LimitedLevel[] = [];
  const key = keyId === null ? undefined : state.apiKeys.get(keyId);
  if (key?.rules.length) levels.push(levelOfKey(key));
  // Most keys have neither.
  if (owner !== undefined) {
    const limited = state.owners.get(owner);
    if (limited?.rules.length) levels.push(levelOfOwner(limited));
  }
  if (team !== undefined) {
    const limited = state.teams.get(team as TeamId);
    if (limited?.rules.length) levels.push(levelOfTeam(limited));
  }
  return levels;
}

/** The rules of a holder now; none when it does not exist. */
export function rulesOf({ apiKeys, owners, teams }: LimitedState, holder: LimitHolder): readonly LimitRule[] {
  const ofKey = apiKeys.get(holder as ApiKeyId);
  if (ofKey) return ofKey.rules;
  const colon = holder.indexOf(':');
  const id = holder.slice(colon + 1);
  const found = holder.startsWith('team:') ? teams.get(id as TeamId) : colon > 0 ? owners.get(id) : undefined;
  return found?.rules ?? NO_RULES;
}
