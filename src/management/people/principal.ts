import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { ManagementToken } from '../../domain/managementToken/state.ts';
import { isOpenToThisMachine } from '../../domain/operator/access.ts';
import { lowestRole } from '../../domain/operator/grants.ts';
import type { Role } from '../../domain/operator/role.ts';
import { type Operators, statusOf } from '../../domain/operator/state.ts';
import type { Session } from '../../domain/session/state.ts';
import type { HotState } from '../../state/fold/hotState.ts';

/** Who makes a request, with what they may do at this moment. */
export interface Principal {
  /** `BUILT_IN_ADMINISTRATOR` or the id of an operator. */
  readonly operatorId: string;
  /** A route must admit all of them: for a token, its role and that of its owner now. */
  readonly roles: readonly [Role, ...Role[]];
  /** The lowest one. */
  readonly role: Role;
  readonly tokenId?: string;
}

/** The role of an operator now; undefined for one who cannot act: unknown, invited, disabled or removed. */
export function roleOf(operatorId: string, { byId }: Operators): Role | undefined {
  if (operatorId === BUILT_IN_ADMINISTRATOR) return 'administrator';
  const operator = byId.get(operatorId);
  return operator && statusOf(operator) === 'active' ? operator.role : undefined;
}

/** The principal of a session that is valid. */
export function principalOfSession({ operatorId }: Session, operators: Operators): Principal | undefined {
  const role = roleOf(operatorId, operators);
  return role && { operatorId, roles: [role], role };
}

/** The principal of a token that is valid; undefined when its owner cannot act. */
export function principalOfToken(token: ManagementToken, operators: Operators): Principal | undefined {
  const { id: tokenId, ownerId: operatorId } = token;
  const ownerRole = roleOf(operatorId, operators);
  if (!ownerRole) return undefined;
  const roles: Principal['roles'] = ownerRole === token.role ? [ownerRole] : [token.role, ownerRole];
  return { operatorId, roles, role: lowestRole(roles), tokenId };
}

/** A client on this machine, while no sign-in is needed. */
export const LOCAL_ADMINISTRATOR: Principal = {
  operatorId: BUILT_IN_ADMINISTRATOR,
  roles: ['administrator'],
  role: 'administrator',
};

/** Whether clients on this machine need no sign-in now. */
export const isOpen = ({ operators, dashboardAuth }: Pick<HotState, 'operators' | 'dashboardAuth'>): boolean =>
  isOpenToThisMachine(operators, dashboardAuth);

export const hasRoleIn = ({ roles }: Principal, admitted: readonly Role[]): boolean =>
  roles.every((role) => admitted.includes(role));

/** Whether the principal sees and changes only what they own. */
export const isLimitedToOwn = ({ roles }: Principal): boolean => roles.includes('member');

/**
 * Whether the principal may see or change what has this owner. Answer 404 otherwise: what a member does not own does not exist for
 * them. @param ownerId the id of an operator; null: it has none
 */
export const owns = (principal: Principal, ownerId: string | null): boolean =>
  !isLimitedToOwn(principal) || ownerId === principal.operatorId;

/** @throws Refusal `notFound` unless the principal may see what has this owner */
export function requireOwn(principal: Principal, ownerId: string | null, notFound: ErrorCode, details = {}): void {
  if (!owns(principal, ownerId)) refuse(notFound, details);
}
