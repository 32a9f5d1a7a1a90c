import type { DashboardAuth } from '../dashboardAuth/state.ts';
import { type Operator, type Operators, presentOperators, statusOf } from './state.ts';

const isActiveAdministrator = (operator: Operator): boolean =>
  operator.role === 'administrator' && statusOf(operator) === 'active';

/** Whether an operator exists besides the built-in administrator, who is no entry of the state. */
export const hasOperators = (operators: Operators): boolean => presentOperators(operators).length > 0;

/**
 * Whether clients on this machine manage without signing in: no password is set, no administrator has accepted an invitation,
 * and the password was not removed while there were operators (docs/decisions/0083-operators-and-roles.md).
 */
export const isOpenToThisMachine = (operators: Operators, { password }: Pick<DashboardAuth, 'password'>): boolean =>
  password === null && !operators.isBuiltInClosed && ![...operators.byId.values()].some(isActiveAdministrator);

/** Whether the built-in administrator can manage: with the password, or from this machine while none is set. */
export const isBuiltInAvailable = (operators: Operators, auth: Pick<DashboardAuth, 'password'>): boolean =>
  auth.password !== null || isOpenToThisMachine(operators, auth);

/**
 * Whether a change of one operator leaves no administrator: none that has accepted, or where there was none before, none that is
 * invited. @param after undefined: removed
 */
export function losesLastAdministrator(operators: Operators, id: string, after: Operator | undefined): boolean {
  const before = presentOperators(operators);
  const rest = [...before.filter((each) => each.id !== id), ...(after ? [after] : [])];
  const isInvited = (each: Operator) => each.role === 'administrator' && statusOf(each) === 'invited';
  const counts = before.some(isActiveAdministrator) ? isActiveAdministrator : isInvited;
  return before.some(counts) && !rest.some(counts);
}
