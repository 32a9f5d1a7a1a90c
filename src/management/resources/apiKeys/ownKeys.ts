import type { ApiKey } from '../../../domain/apiKey/state.ts';
import type { ApiKeyId, TeamId } from '../../../domain/core/brands.ts';
import { refuse } from '../../../domain/core/refusal.ts';
import type { HotState } from '../../../state/fold/hotState.ts';
import { isLimitedToOwn, owns, type Principal } from '../../people/principal.ts';

type Keys = Pick<HotState, 'apiKeys'>;

/** Whether a principal may see and change a key: a member only those that they own. */
export const mayUseKey = (principal: Principal | undefined, key: ApiKey | undefined): boolean =>
  key !== undefined && principal !== undefined && owns(principal, key.owner ?? null);

/** @throws Refusal `api_key_not_found` for a key that does not exist, or that a member does not own */
export function requireKey(principal: Principal | undefined, { apiKeys }: Keys, keyId: ApiKeyId): ApiKey {
  const key = apiKeys.get(keyId);
  return key && mayUseKey(principal, key) ? key : refuse('api_key_not_found', { keyId });
}

interface Placed {
  readonly owner?: string | null | undefined;
  readonly team?: string | null | undefined;
}

/**
 * Owner and team of a new key. That of a member belongs to the member and stays within the limits of a team: who has keys in teams makes
 * further ones in one of them, without choosing if there is only one. Members join no team by themselves; an operator makes or moves
 * their first key.
 * @throws Refusal `invalid_api_key_payload`
 */
export function placeOfNewKey(principal: Principal | undefined, { owner, team }: Placed, { apiKeys }: Keys): Placed {
  if (!principal || !isLimitedToOwn(principal)) return { owner, team };
  const { operatorId } = principal;
  if (owner != null && owner !== operatorId) {
    refuse('invalid_api_key_payload', { param: 'owner', problem: `must be your own id, ${operatorId}` });
  }
  const own = [...apiKeys.values()].filter((key) => key.owner === operatorId);
  const teams = [...new Set(own.flatMap((key) => key.team ?? []))];
  if (team === undefined && teams.length <= 1) return { owner: operatorId, team: teams[0] };
  if (team == null ? teams.length === 0 : teams.includes(team as TeamId)) return { owner: operatorId, team };
  const problem =
    teams.length === 0
      ? 'must be null: no key of yours is in a team'
      : `must be one of your teams: ${teams.join(', ')}`;
  return refuse('invalid_api_key_payload', { param: 'team', problem });
}

/**
 * Members rename and deactivate their keys. The limits of a key were set by another person.
 * @throws Refusal `insufficient_permissions`
 */
export function requireMayChange(principal: Principal | undefined, changes: Readonly<Record<string, unknown>>): void {
  if (!principal || !isLimitedToOwn(principal)) return;
  const { name: _name, is_active: isActive, ...others } = changes;
  const [field] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (field === undefined && isActive !== true) return;
  const problem = `members rename and deactivate their keys; ask an operator to change ${field ?? 'is_active'}`;
  refuse('insufficient_permissions', { problem });
}
