import { operationRoles } from '../api/operationRoles.ts';
import { type Role, session } from './session.svelte.ts';

/** An operation of the management API, e.g. `POST /api/api-keys`. */
export type Operation = keyof typeof operationRoles;

/** Whether a role may use an operation, as its route declares it. */
export const roleMay = (role: Role, operation: Operation): boolean =>
  (operationRoles[operation] as readonly Role[]).includes(role);

/** Whether who is signed in may use all of these operations. Reactive. */
export const may = (...operations: readonly Operation[]): boolean =>
  operations.every((operation) => roleMay(session.role, operation));
