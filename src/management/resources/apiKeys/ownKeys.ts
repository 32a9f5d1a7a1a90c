import type { ApiKey } from '../../../domain/apiKey/state.ts';
import type { ApiKeyId } from '../../../domain/core/brands.ts';
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
 * The owner of a new key: of a member's, the member. A member joins no team by themselves, but a further key of theirs may be in the
 * team of another one.
 * @throws Refusal `invalid_api_key_payload`
 */
export function ownerOfNewKey(
  principal: Principal | undefined,
  { owner, team }: Placed,
  { apiKeys }: Keys,
): string | null | undefined {
  if (!principal || !isLimitedToOwn(principal)) return owner;
  const { operatorId } = principal;
  if (owner != null && owner !== operatorId) {
    refuse('invalid_api_key_payload', { param: 'owner', problem: `must be your own id, ${operatorId}` });
  }
  const isOwnTeam = apiKeys.values().some((key) => key.owner === operatorId && key.team === team);
  if (team != null && !isOwnTeam) {
    refuse('invalid_api_key_payload', { param: 'team', problem: 'must be the team of a key that you have' });
  }
  return operatorId;
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
