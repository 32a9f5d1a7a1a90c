import { roles as ROLES } from '../../domain/operator/role.ts';
import type { RoleSet } from '../../http/openApi/endpoint.ts';

// The sets of roles that routes declare. What each role may do: docs/architecture/management.md#roles.

/** Also routes that need no sign-in. */
export const EVERYONE: RoleSet = ROLES;
/** What belongs to the whole installation: its settings, access to management, holds and archives. */
export const ADMINISTRATORS: RoleSet = ['administrator'];
/** Writes to accounts and firewall. */
export const OPERATORS: RoleSet = ['administrator', 'operator'];
/** Reads of the whole installation. */
export const READERS: RoleSet = ['administrator', 'operator', 'auditor'];
/** Verifications and evidence, which change nothing that they examine. */
export const EXAMINERS: RoleSet = ['administrator', 'auditor'];
/** Writes to API keys, of which members have their own. */
export const KEY_OWNERS: RoleSet = ['administrator', 'operator', 'member'];
