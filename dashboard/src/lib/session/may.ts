import { operationRoles } from '../api/operationRoles.ts';
import { type Role, session } from './session.svelte.ts';

/** An operation of the management API, e.g. `POST /api/api-keys`. */
export type Operation = keyof typeof operationRoles;

/** What a control changes: an operation, which not every role may use, or `true` for what everyone may change of their own. */
export type Write = Operation | boolean;

/** Whether a role may use an operation, as its route declares it. */
const roleMay = (role: Role, operation: Operation): boolean =>
  (operationRoles[operation] as readonly Role[]).includes(role);

/** Whether who is signed in may use an operation. Reactive. */
export const may = (operation: Operation): boolean => roleMay(session.role, operation);

/** Why a control that shows a state is disabled. */
export const NOT_YOUR_ROLE = 'Your role may see this, not change it.';

/** Whether a control that changes something is shown to who is signed in. Reactive. */
export const mayWrite = (write: Write | undefined): boolean => typeof write !== 'string' || may(write);

/** Whether who is signed in sees and changes only what they own, as members do. Reactive. */
export const isLimitedToOwn = (): boolean => session.role === 'member';
